# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Runs commands two at a time, because each emulated CPU keeps a CPU of this machine busy.  To be
# sourced, not run, by a script that calls
#
#   job NAME COMMAND...   starts COMMAND as soon as fewer than two others run
#   wait_for_jobs         waits for all commands
#
# and that defines job_ended(), which one of these calls for each command that has ended:
#
#   job_ended NAME STATUS SECONDS OUTPUT   OUTPUT is a file with what the command has printed

POOL_JOBS=2
POOL_DIR=$(mktemp -d)
trap 'rm -rf "$POOL_DIR"' EXIT
declare -A pool_names=() pool_starts=()		# of the running commands, by process

job()
{
	[[ ${#pool_names[@]} -lt $POOL_JOBS ]] || wait_for_job
	echo "... $1 begins"
	"${@:2}" </dev/null >"$POOL_DIR/output-$1" 2>&1 &
	pool_names[$!]=$1 pool_starts[$!]=$SECONDS
}

wait_for_job()
{
	local pid status=0 output

	wait -n -p pid "${!pool_names[@]}" || status=$?
	output=$POOL_DIR/output-${pool_names[$pid]}
	job_ended "${pool_names[$pid]}" $status $((SECONDS - pool_starts[$pid])) "$output"
	rm "$output"
	unset "pool_names[$pid]"
}

wait_for_jobs()
{
	while [[ ${#pool_names[@]} -gt 0 ]]; do
		wait_for_job
	done
}
