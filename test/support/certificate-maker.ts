import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Certificate {
  readonly certPath: string;
  readonly keyPath: string;
  readonly cert: string;
  readonly key: string;
}

/** An authority of the test's own, and what it signs. */
export class CertificateMaker {
  private readonly folder = mkdtempSync(join(tmpdir(), 'wecom-certificates-'));
  readonly ca: Certificate;

  constructor() {
    this.run('req', '-x509', ...NEW_KEY, '-subj', '/CN=Test authority', '-days', '2', ...this.out('ca'));
    this.ca = this.read('ca');
  }

  /** `names` are subject alternative names: `IP:127.0.0.1`, `DNS:redis.corp`. */
  sign(name: string, names: string): Certificate {
    const extensions = join(this.folder, `${name}.ext`);
    writeFileSync(extensions, `subjectAltName=${names}\n`);
    const request = join(this.folder, `${name}.csr`);
    const keyPath = join(this.folder, `${name}.key`);
    this.run('req', ...NEW_KEY, '-subj', `/CN=${name}`, '-keyout', keyPath, '-out', request);
    const by = ['-CA', this.ca.certPath, '-CAkey', this.ca.keyPath, '-CAcreateserial', '-days', '2'];
    this.run('x509', '-req', '-in', request, ...by, '-extfile', extensions, '-out', join(this.folder, `${name}.crt`));
    return this.read(name);
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  private out(name: string): string[] {
    return ['-keyout', join(this.folder, `${name}.key`), '-out', join(this.folder, `${name}.crt`)];
  }

  private read(name: string): Certificate {
    const [certPath, keyPath] = [join(this.folder, `${name}.crt`), join(this.folder, `${name}.key`)];
    return { certPath, keyPath, cert: readFileSync(certPath, 'utf8'), key: readFileSync(keyPath, 'utf8') };
  }

  private run(...args: string[]): void {
    execFileSync('openssl', args, { stdio: 'pipe' });
  }
}

const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
