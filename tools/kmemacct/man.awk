# SPDX-License-Identifier: GPL-2.0
#
# kmemacct --man | awk -f man.awk - kmemacct.8.in: makes the man page
#
# In both inputs, a line `.\" @NAME` is a mark.  NAME in capitals begins a section of what the program
# prints, and in the source of the page it is where that section goes.  The name of a command or an
# option begins a note in the source, up to the next mark or section.  In what the program prints, it
# is where that note goes.  Fails if the program has no command or option of the name.

function put_section(name,   i)
{
	for (i = 1; i <= length_of[name]; i++) {
		if (made[name, i] !~ /^\.\\" @/)
			print made[name, i]
		else {
			split(made[name, i], words)
			printf "%s", note[words[2]]
			delete note[words[2]]
		}
	}
}

FNR == 1 { file++; name = "" }

file == 1 && /^\.\\" @[A-Z]/ { name = $2; next }
file == 1 { made[name, ++length_of[name]] = $0; next }

/^\.SH / { name = "" }
/^\.\\" @[^A-Z]/ { name = $2; note[name] = ""; next }
name != "" { note[name] = note[name] $0 "\n"; next }
{ page[++nr] = $0 }

END {
	for (i = 1; i <= nr; i++) {
		split(page[i], words)
		if (page[i] ~ /^\.\\" @/)
			put_section(words[2])
		else
			print page[i]
	}
	for (name in note) {
		print "man.awk: the program has no " substr(name, 2) >"/dev/stderr"
		status = 1
	}
	exit status
}
