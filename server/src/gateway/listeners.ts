// The listening ports: SMPP_PORT, and SMPP_TLS_PORT, whose certificate may be replaced while the server runs.
import { readFile, stat } from 'node:fs/promises'
import { createSecureContext } from 'node:tls'
import { startServer, type SmppServer } from '@tollgate/smpp/net/server.ts'
import type { SessionHandlers } from '@tollgate/smpp/session/session.ts'
import type { SessionSettings } from '@tollgate/smpp/session/session-types.ts'
import { withinNetworks } from '../platform/addresses/networks.ts'
import { listenFailure } from '../http/server.ts'
import type { Logger } from '../platform/log.ts'
import { Recurring } from '../platform/work/recurring.ts'
import { StartFailure } from '../platform/process/start-failure.ts'
import type { Bind } from './binds/bind.ts'
import { certificateEnd } from './certificate-end.ts'
import { certificateEndGauge, sessionFaults } from './metrics.ts'

export interface ListenerOptions {
  readonly host: string
  readonly port: number
  readonly tls: { readonly port: number; readonly certPath: string; readonly keyPath: string } | undefined
  /** CIDRs of load balancers, whose connections begin with a PROXY header. */
  readonly proxies?: readonly string[]
  readonly handlers: SessionHandlers<Bind>
  /** Overrides of the library's defaults. */
  readonly settings?: Partial<SessionSettings> | undefined
  /** From one look at the certificate's files to the next; defaults to two seconds. */
  readonly certificateCheckMs?: number | undefined
  readonly log: Logger
}

export interface Listeners {
  readonly port: number
  readonly tlsPort: number | undefined
  /** Closes the ports, answers the messages in flight, unbinds all peers and waits up to `timeoutMs` for their answers. */
  stop(timeoutMs: number): Promise<void>
}

let certificateEndsAt: Date | undefined

/** When the certificate of SMPP over TLS that is in use here ends, or one of its chain; undefined without one. */
export const smppCertificateEnd = () => certificateEndsAt

type Certificate = { readonly cert: Buffer; readonly key: Buffer }
type TlsFiles = NonNullable<ListenerOptions['tls']>

/** Opens the ports. Throws StartFailure for a port in use and for an unusable certificate. */
export async function openListeners(options: ListenerOptions): Promise<Listeners> {
  const { host, port, tls, log } = options
  const certificate = tls === undefined ? undefined : await readCertificate(tls)
  const plain = await listen('SMPP_PORT', options, port)
  if (tls === undefined || certificate === undefined) {
    log.info({ host, port: plain.port }, 'SMPP server listens')
    return { port: plain.port, tlsPort: undefined, stop: (timeoutMs) => plain.stop(timeoutMs) }
  }
  let secure: SmppServer<Bind>
  try {
    secure = await listen('SMPP_TLS_PORT', options, tls.port, certificate)
  } catch (error) {
    await plain.stop(0)
    throw error
  }
  log.info({ host, port: plain.port, tlsPort: secure.port }, 'SMPP server listens')
  const watch = await watchCertificate(tls, secure, log, options.certificateCheckMs)
  return {
    port: plain.port,
    tlsPort: secure.port,
    async stop(timeoutMs) {
      void watch.stop()
      await Promise.all([plain.stop(timeoutMs), secure.stop(timeoutMs)])
    },
  }
}

async function listen(
  variable: string,
  { host, handlers, settings, proxies = [], log }: ListenerOptions,
  port: number,
  tls?: Certificate,
): Promise<SmppServer<Bind>> {
  try {
    return await startServer<Bind>({
      host,
      port,
      handlers,
      isProxy: withinNetworks(proxies),
      onProxyRefused(address, reason) {
        sessionFaults.inc({ kind: 'proxy-header' })
        log.debug({ address, reason }, 'a connection from a balancer had no valid PROXY header')
      },
      ...(settings === undefined ? {} : { settings }),
      ...(tls === undefined ? {} : { tls }),
    })
  } catch (error) {
    throw listenFailure(variable, host, port, error as NodeJS.ErrnoException)
  }
}

async function readCertificate({ certPath, keyPath }: TlsFiles): Promise<Certificate> {
  try {
    return await loadCertificate(certPath, keyPath)
  } catch (error) {
    throw new StartFailure(
      `TLS_CERT and TLS_KEY cannot be used: ${(error as Error).message}. Give a PEM certificate and its key.`,
    )
  }
}

async function loadCertificate(certPath: string, keyPath: string): Promise<Certificate> {
  const [cert, key] = await Promise.all([readFile(certPath), readFile(keyPath)])
  // Throws here, and not at the first handshake, when the key does not belong to the certificate.
  createSecureContext({ cert, key })
  certificateEndsAt = certificateEnd(cert.toString())
  certificateEndGauge.set(certificateEndsAt.getTime() / 1_000)
  return { cert, key }
}

/** New handshakes use a replaced certificate. An unusable one is logged, and the previous one stays in use. */
async function watchCertificate(
  { certPath, keyPath }: TlsFiles,
  server: SmppServer<Bind>,
  log: Logger,
  everyMs = 2_000,
): Promise<Recurring> {
  const stampOf = async () => {
    const [cert, key] = await Promise.all([stat(certPath), stat(keyPath)])
    return `${cert.mtimeMs} ${cert.size} ${key.mtimeMs} ${key.size}`
  }
  let seen = await stampOf()
  const check = async () => {
    const stamp = await stampOf()
    if (stamp === seen) return
    seen = stamp
    server.setSecureContext(await loadCertificate(certPath, keyPath))
    log.info('the new SMPP certificate is in use')
  }
  const onFault = (error: unknown) =>
    log.error({ err: error }, 'The new SMPP certificate cannot be used; the one before it stays')
  const checking = new Recurring({ run: check, everyMs, onFault })
  checking.start(everyMs)
  return checking
}
