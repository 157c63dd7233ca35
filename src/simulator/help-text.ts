/** What `--help` prints. */
export const helpText = (usage: string, exitCannotBegin: number): string => `Usage: ${usage} [flags]

Plays WeCom against a running service: seals and signs callbacks, delivers them, delivers again what is not answered,
then asks the service what became of each event. The events are stored there, so point it at a service for trying out.

  --target URL          callbacks go here (http://127.0.0.1:3000); several share them, as behind a load balancer that
                        does not look whether they are well
  --admin URL           the service's admin address (http://127.0.0.1:3001)
  --data FOLDER         holds demo.json and admin-token ($DATA_DIR, else ./data)
  --apps FILE           apps file instead of demo.json ($WECOM_APPS_FILE)
  --app NAME            the app whose URL is called (demo)

  --count N             distinct events (1000)
  --duplicates D        each is delivered 1 + (0 to D) times (1)
  --shuffle             deliveries in random order within a window; CreateTime is kept
  --window N            size of that window in deliveries (200)
  --fail-share S        share of events that a handler fails on (0.02)
  --hang-up-share S     share of deliveries whose answer is not awaited and that therefore come again (0.01)
  --seed N              replays an earlier run's events and order

  --rate N              deliveries a second; 0: as fast as they are answered (0)
  --concurrency N       deliveries in hand side by side (32)
  --timeout MS          longest wait for an answer (5000)
  --retries N           deliveries again after no answer (3)
  --retry-after MS      pause before each of them (5000)
  --settle-timeout S    longest wait for all outcomes (120)
  --json                the result as JSON on stdout

The admin token is $ADMIN_TOKEN, else the file $ADMIN_TOKEN_FILE, else admin-token in the data folder.
Ends with 0 when nothing was lost, doubled or out of order; 1 when something was, or is unfinished;
2 when it was called wrongly; ${exitCannotBegin} when it cannot begin.
`;
