// SPDX-License-Identifier: GPL-2.0
/* Unit tests of the keys of kmemacct top: which key a code of ncurses is. */
#define NCURSES_NOMACROS
#include <curses.h>

#include "top/top.h"
#include "unit.h"

/* Codes that only some terminals have are above KEY_MAX. */
#define CODES	(2 * (KEY_MAX + 1))

static bool is_key(int key)
{
	return key >= TOP_KEY_UP && key < TOP_KEY_OTHER;
}

TEST(terminal_keys_are_those_of_ncurses)
{
	static const struct {
		int code;
		int key;
	} known[] = {
		{ KEY_UP, TOP_KEY_UP }, { KEY_DOWN, TOP_KEY_DOWN }, { KEY_LEFT, TOP_KEY_LEFT },
		{ KEY_RIGHT, TOP_KEY_RIGHT }, { KEY_PPAGE, TOP_KEY_PAGE_UP },
		{ KEY_NPAGE, TOP_KEY_PAGE_DOWN }, { KEY_HOME, TOP_KEY_HOME },
		{ KEY_END, TOP_KEY_END }, { KEY_SLEFT, TOP_KEY_SCROLL_LEFT },
		{ KEY_SRIGHT, TOP_KEY_SCROLL_RIGHT }, { KEY_BTAB, TOP_KEY_BACK_TAB },
		{ KEY_ENTER, TOP_KEY_ENTER }, { '\r', TOP_KEY_ENTER },
		{ KEY_BACKSPACE, TOP_KEY_BACKSPACE }, { '\b', TOP_KEY_BACKSPACE },
		{ KEY_F(1), TOP_KEY_HELP }, { KEY_HELP, TOP_KEY_HELP },
		{ KEY_F(2), TOP_KEY_OTHER }, { KEY_RESIZE, TOP_KEY_OTHER },
		{ 'q', 'q' }, { '\t', TOP_KEY_TAB }, { 27, TOP_KEY_ESCAPE },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(known); i++)
		EXPECT(top_terminal_key_of(known[i].code) == known[i].key);
}

/* No other code is a key of the program. */
TEST(terminal_other_codes_have_no_effect)
{
	int code, nr = 0;

	for (code = KEY_MIN; code < CODES; code++) {
		EXPECT(top_terminal_key_of(code) > KEY_MAX ||
		       top_terminal_key_of(code) == TOP_KEY_ENTER ||
		       top_terminal_key_of(code) == TOP_KEY_BACKSPACE);
		nr += is_key(top_terminal_key_of(code));
	}
	/* Each of the program's keys has one code, and the help has two. */
	EXPECT(nr == TOP_KEY_OTHER - TOP_KEY_UP + 1);
}
