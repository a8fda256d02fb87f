#!/usr/bin/env bash
# measure.sh DIR [SIZE...]: builds the binary and logs of the given sizes in
# DIR, and prints for each command the best of three runs: wall seconds, CPU
# seconds, the ratio to `cat FILE >/dev/null`, and the peak memory in MiB.
# Needs GNU time. With KAFKA_CLASSPATH set to the jars of kafka-tools, Kafka's
# own dump tool is measured in the same run.
set -euo pipefail
dir=${1:?usage: measure.sh DIR [SIZE...]}
shift
[ $# -gt 0 ] || set -- 1000000000
cd "$(dirname "$0")/../.."
mkdir -p "$dir"
go build -o "$dir/kafsck" .
k=$dir/kafsck

best() { # label, expected exit, command...
	local label=$1 want=$2 best="" line rc
	shift 2
	for _ in 1 2 3; do
		rm -rf "$dir/out"
		rc=0
		line=$(/usr/bin/time -f '%e %U %S %M' "$@" 2>&1 >/dev/null | tail -1) || rc=$?
		[ "$rc" = "$want" ] || { echo "$label: exit $rc: $line" >&2; exit 1; }
		if [ -z "$best" ] || awk "BEGIN{exit !(${line%% *} < ${best%% *})}"; then best=$line; fi
	done
	[ "$label" = cat ] && base=${best%% *}
	echo "$label $best $base" | awk '{printf "%-34s %6.2f s %6.2f s CPU %5.1fx %5d MiB\n", $1, $2, $3 + $4, $2 / ($6 > 0 ? $6 : 0.01), $5 / 1024}' FS=' '
}

for size in "$@"; do
	for codec in none lz4 zstd snappy gzip; do
		at=$dir/$codec-$size
		[ -d "$at" ] || go run ./internal/bench -size "$size" -codec "$codec" "$at"
		log=$at/bench-0/00000000000000000000.log
		echo "== $codec, $(stat -c %s "$log") bytes"
		cat "$log" >/dev/null
		best cat 0 cat "$log"
		best dump 0 "$k" dump "$log"
		best dump_--deep-iteration 0 "$k" dump --deep-iteration "$log"
		best dump_--print-data-log 0 "$k" dump --print-data-log "$log"
		best dump_json_with_payloads 0 "$k" dump --format json --print-data-log "$log"
		best sanity-check_checksums 0 "$k" sanity-check --depth checksums --progress never "$log"
		best sanity-check_records 0 "$k" sanity-check --progress never "$log"
		best rebuild-index 0 "$k" rebuild-index --progress never --out-dir "$dir/out" "$log"
		best salvage 0 "$k" salvage --progress never --out-dir "$dir/out" "$at/bench-0"
		best transactions 0 "$k" transactions --progress never "$at/bench-0"
		best compare 0 "$k" compare --progress never "$at/bench-0" "$at/bench-0"
		best recovery 0 "$k" recovery "$at/bench-0"
		best lookup 0 "$k" lookup --offset 100000 "$at/bench-0"
		if [ -n "${KAFKA_CLASSPATH:-}" ]; then
			tool=org.apache.kafka.tools.DumpLogSegments
			best kafka_dump 0 java -Xmx512m -cp "$KAFKA_CLASSPATH" $tool --files "$log"
			best kafka_dump_--deep-iteration 0 java -Xmx512m -cp "$KAFKA_CLASSPATH" $tool --deep-iteration --files "$log"
		fi
	done
done
