// Judges a run by what was sent, as the simulator does, and adds up the counters of the three processes.
import { AdminClient, LOOKUP_KEYS_MAX } from '../../dist/src/simulator/admin-client.js';
import { audit } from '../../dist/src/simulator/audit.js';
import { HttpClient } from '../../dist/src/simulator/http-client.js';
import { identifyEvent } from '../../dist/src/simulator/identify-event.js';
import { CREDENTIALS } from './workload.mjs';

export async function auditRun({ gateway, worker, admin, texts, adminToken }) {
  const http = new HttpClient(4);
  const client = new AdminClient(http, admin.adminBase, adminToken);
  try {
    const events = texts.map((text) => ({
      ...identifyEvent(text, 'bench', CREDENTIALS.receiveId),
      isAnswered: true,
      endsDead: false,
    }));
    const rows = new Map();
    for (let at = 0; at < events.length; at += LOOKUP_KEYS_MAX) {
      const keys = events.slice(at, at + LOOKUP_KEYS_MAX).map(({ eventKey }) => eventKey);
      for (const row of await client.lookup(keys)) rows.set(row.eventKey, row);
    }
    const changes = [];
    for (let page = await client.changes(0); page.length > 0; page = await client.changes(page.at(-1).id))
      changes.push(...page);
    const judged = audit({ events, rows, changes, isQuiet: true });
    const accepted = await gateway.metric('wecom_callbacks_total');
    const balance = accepted - rows.size - (await worker.metric('wecom_events_duplicate_total'));
    const counts = Object.fromEntries(
      ['lost', 'doubled', 'mismatched', 'wrongMoves', 'inversions', 'unfinished', 'unexpectedDead'].map((name) => [
        name,
        judged[name].length,
      ]),
    );
    const isSound = balance === 0 && Object.values(counts).every((count) => count === 0);
    return { ...counts, balance, statuses: Object.fromEntries(judged.statuses), isSound };
  } finally {
    http.close();
  }
}
