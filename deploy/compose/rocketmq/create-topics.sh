#!/bin/sh
# Topics and groups with order (docs/adr/0008). May run again at any time: what is there is set to the same.
set -u
attempts=60

# mqadmin ends with 0 in any case; its words tell. The broker is up some time before it knows itself.
admin() {
  while true; do
    said=$(sh mqadmin "$@" -n "$NAMESRV" -c DefaultCluster 2>&1)
    echo "$said"
    case $said in *success*) return ;; esac
    attempts=$((attempts - 1))
    [ "$attempts" -gt 0 ] || exit 1
    sleep 2
  done
}

admin updateTopic -t wecom-events -r 16 -w 16 -a +message.type=FIFO
admin updateTopic -t wecom-events-dlq -r 4 -w 4 -a +message.type=FIFO
admin updateSubGroup -g wecom-workers -o true -r 1000000000
admin updateSubGroup -g wecom-dead-letters -o true -r 1000000000
