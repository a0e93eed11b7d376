// Builds the slices of links: SMPP both ways, and the HTTP providers.
import type { Audit } from './audit/index.ts'
import type { RecordReads } from './compose-reads.ts'
import type { Money } from './compose-money.ts'
import { createConnections, createInterconnection, defineLinkSettings } from './connections/index.ts'
import type { IsDelivering } from './endpoints/index.ts'
import { createGateway, FlightRecorder, type Deliveries } from './gateway/index.ts'
import type { Ingest } from './ingest/index.ts'
import type { Integrity } from './integrity/index.ts'
import type { Storage } from './storage/storage.ts'
import type { Logger } from './platform/log.ts'
import type { Config } from './platform/process/config.ts'
import type { Egress } from './platform/security/egress.ts'
import type { Secrets } from './platform/security/secrets.ts'
import { createProviders } from './providers/index.ts'
import { createSmppTraffic } from './smpp-traffic/index.ts'
import type { Users } from './users/index.ts'

interface LinkSurroundings {
  readonly config: Config
  readonly storage: Storage
  readonly log: Logger
}

interface LinkParts {
  readonly audit: Audit
  readonly secrets: Secrets
  readonly egress: Egress
  readonly users: Users
  readonly ingest: Ingest
  readonly reads: RecordReads
  readonly isDelivering: IsDelivering
  readonly billing: Pick<Money, 'ledgerState'>
  readonly integrity: Integrity
  readonly deliveries: Deliveries
  /** The name of this node. */
  readonly node: string
}

/** SMPP both channels: the listeners that peers bind to, and our own links to outside gateways; and the providers. */
export function composeLinks(surroundings: LinkSurroundings, parts: LinkParts) {
  const { config, storage, log } = surroundings
  const { db } = storage.database
  const both = { db, heavyDb: storage.heavy.db }
  const { audit, secrets, egress, users, ingest, reads, isDelivering, deliveries, node } = parts
  const linkSettings = defineLinkSettings(users.settings)
  const flight = new FlightRecorder(db, log, node)
  const connections = createConnections({
    db,
    flight,
    log,
    audit,
    secrets,
    egress,
    messages: ingest,
    holds: parts.integrity,
    linkSettings,
    node,
    holdsLinks: config.roles.has('smpp'),
    publish: (payload) =>
      void reads.publish({ kind: 'connection', payload, audience: { permission: 'interconnectionApi' } }),
  })
  const gateway = createGateway({
    outboundLinks: () => connections.outboundLinks(),
    ledgerState: () => parts.billing.ledgerState(),
    ...both,
    log,
    audit,
    accounts: users,
    messages: ingest,
    holds: parts.integrity,
    deliveries,
    secrets,
    flight,
    host: node,
    roles: [...config.roles],
    listen: config.roles.has('smpp')
      ? { host: config.host, port: config.smppPort, tls: config.smppTls, proxies: config.smppProxies }
      : undefined,
    smppPort: config.smppPort,
    isOnlyNode: config.databaseUrl === undefined,
  })
  const interconnection = createInterconnection({
    ...both,
    settings: users.settings,
    linkSettings,
    isDelivering,
    restartAll: (by) => connections.restartAll(by),
  })
  const smppTraffic = createSmppTraffic({ ...both, messages: ingest })
  return {
    connections,
    gateway,
    interconnection,
    smppTraffic,
    providers: buildProviders(surroundings, parts),
  }
}

/** The HTTP sources that are polled for records. */
function buildProviders({ config, storage, log }: LinkSurroundings, parts: LinkParts) {
  const { audit, secrets, egress, ingest, reads, node } = parts
  return createProviders({
    db: storage.database.db,
    heavyDb: storage.heavy.db,
    log,
    audit,
    secrets,
    egress,
    messages: ingest,
    node,
    polls: config.roles.has('worker'),
    publish: (payload) =>
      void reads.publish({ kind: 'worker', payload, audience: { permission: 'httpProviders' } }),
  })
}
