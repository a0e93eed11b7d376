// Links the demo to its outside world through the API, as its admin: the same names at every start, on new ports.
import type { Connection } from '@tollgate/contract/connections/connections.ts'
import type { Endpoint } from '@tollgate/contract/endpoints/endpoints.ts'
import type { Api } from './api.ts'
import type { OutsideOptions, OutsidePorts } from './outside.ts'

const host = '127.0.0.1'
const names = {
  connection: 'demo-smsc',
  failing: 'demo-backup',
  provider: 'Demo Provider',
  endpoint: 'Demo CRM of client1',
}
const pollIntervalMs = 10_000

interface NamedLink {
  readonly id: string
  readonly name: string
}

/** The records of `clientId` go to the receiver. Links of an earlier start get the new ports. */
export async function linkOutside(
  admin: Api,
  { smsc, provider, receiver }: OutsidePorts,
  { systemId, password, apiKey }: OutsideOptions['credentials'],
  clientId: number,
): Promise<void> {
  const put = async (path: string, found: readonly NamedLink[], body: Readonly<Record<string, unknown>>) => {
    const before = found.find(({ name }) => name === body['name'])
    if (before === undefined) await admin.call('POST', path, body)
    else await admin.call('PUT', `${path}/${before.id}`, body)
  }
  const connections = await admin.call<Connection[]>('GET', '/api/smpp-connections')
  await put('/api/smpp-connections', connections, {
    name: names.connection,
    host,
    port: smsc,
    systemId,
    password,
    systemType: 'VMS',
  })
  // The other side has changed its password: a link that fails, and says why.
  await put('/api/smpp-connections', connections, {
    name: names.failing,
    host,
    port: smsc,
    systemId,
    password: 'outdated',
    systemType: 'VMS',
  })
  await put('/api/providers', await admin.call<NamedLink[]>('GET', '/api/providers'), {
    name: names.provider,
    apiUrl: `http://${host}:${provider}/records`,
    authType: 'api_key',
    apiKey,
    pollInterval: pollIntervalMs,
    enabled: true,
  })
  await put('/api/endpoints', await admin.call<Endpoint[]>('GET', '/api/endpoints'), {
    name: names.endpoint,
    endpoint: `http://${host}:${receiver}/records`,
    userId: clientId,
  })
}
