#!/usr/bin/env bash
# scale.sh DIR: builds log dirs of 10 MB to 20 GB in DIR (they take about 2 GB
# of disk, see main.go) and a preallocated segment of 2 GB and one of 20 GB with
# a log of 10 MB in front, and prints a table: of each command the best wall
# seconds of three runs, the CPU seconds of that run, and the largest peak
# memory in MiB. Needs GNU time.
set -euo pipefail
dir=${1:?usage: scale.sh DIR}
cd "$(dirname "$0")/../.."
mkdir -p "$dir"
go build -o "$dir/kafsck" .
k=$dir/kafsck

cell() { # expected exits, command...: " seconds (CPU), MiB |"
	local want=$1 best="" memory=0 line rc
	shift
	for _ in 1 2 3; do
		rm -rf "$dir/out"
		rc=0
		/usr/bin/time -o "$dir/time" -f '%e %U %S %M' "$@" >/dev/null 2>"$dir/err" || rc=$?
		[[ $rc =~ ^($want)$ ]] || { echo "$*: exit $rc: $(tail -1 "$dir/err")" >&2; exit 1; }
		line=$(tail -1 "$dir/time")
		if [ -z "$best" ] || awk "BEGIN{exit !(${line%% *} < ${best%% *})}"; then best=$line; fi
		[ "${line##* }" -le "$memory" ] || memory=${line##* }
	done
	echo "$best $memory" | awk '{printf " %.2f s (%.2f), %d MiB |", $1, $2 + $3, $5 / 1024}'
}

row() { # label, expected exits, arguments of rebuild-index, path
	printf '| %s |' "$1"
	cell "$2" "$k" dump "$4"
	cell "$2" "$k" sanity-check --depth checksums --progress never "$4"
	cell "$2" "$k" sanity-check --progress never "$4"
	# shellcheck disable=SC2086
	cell "$2" "$k" rebuild-index $3 --progress never --out-dir "$dir/out" "$4"
	echo
}

echo '| size | `dump` | `sanity-check --depth checksums` | `sanity-check` | `rebuild-index` |'
echo '|---|---|---|---|---|'
while read -r label size partitions; do
	at=$dir/$label
	[ -d "$at" ] || go run ./internal/bench -size "$size" -partitions "$partitions" "$at"
	cat "$at"/bench-0/*.log >/dev/null
	row "${label/_/ }" 0 --all "$at"
done <<SIZES
10_MB 10000000 1
100_MB 100000000 1
500_MB 500000000 1
1_GB 1000000000 1
2_GB 1000000000 2
5_GB 1000000000 5
10_GB 1000000000 10
20_GB 1000000000 20
SIZES
for size in 2_GB 20_GB; do
	log=$dir/preallocated_$size/bench-0/00000000000000000000.log
	if [ ! -f "$log" ]; then
		mkdir -p "${log%/*}"
		cp "$dir"/10_MB/bench-0/*.log "$log"
		truncate -s $((${size%%_*} * 1000000000)) "$log"
	fi
	row "10 MB in ${size/_/ }, sparse" '0|3' '--damaged prefix' "$log"
done
