// How a link binds: its row, opened password and checked address as the SMPP library wants them.
import { isIP } from 'node:net'
import type { ClientOptions } from '@tollgate/smpp/net/client.ts'
import { interfaceVersionOctet } from '@tollgate/smpp/values/interface-version.ts'
import { placeOf, type ConnectionsDeps } from './deps.ts'
import type { ConnectionRow } from './store.ts'

/** Resolves and checks the host now, so that a changed address counts. Throws EgressRefused or OutsideFault. */
export async function bindOptions(
  { egress, secrets }: Pick<ConnectionsDeps, 'egress' | 'secrets'>,
  connection: ConnectionRow,
): Promise<ClientOptions> {
  const { address } = await egress.resolve(connection.host)
  const bare = connection.host.replace(/^\[|\]$/g, '')
  return {
    host: address,
    port: connection.port,
    mode: connection.bindType,
    systemId: connection.systemId,
    password: secrets.open(connection.sealedPassword, placeOf(connection.id)).toString('utf8'),
    systemType: connection.systemType,
    interfaceVersion: interfaceVersionOctet(connection.interfaceVersion),
    addrTon: connection.sourceTon,
    addrNpi: connection.sourceNpi,
    // RFC 6066 §3: an address is no server name.
    ...(connection.useTls ? { tls: isIP(bare) === 0 ? { servername: bare } : {} } : {}),
  }
}
