// The bind options of a connection: its row, decrypted password and checked address in the SMPP library's form.
import { tlsOptions } from '@tollgate/smpp/net/certificate.ts'
import type { SmppClientOptions } from '@tollgate/smpp/net/client.ts'
import { interfaceVersionOctet } from '@tollgate/smpp/values/interface-version.ts'
import { withinNetworks } from '../platform/addresses/networks.ts'
import { EgressRefused } from '../platform/security/egress.ts'
import { passwordContext, type ConnectionsDeps } from './deps.ts'
import type { ConnectionRow } from './store.ts'

/** Resolves and checks the host at each attempt, because its address may change. Throws EgressRefused or OutsideFault. */
export async function bindOptions(
  { egress, secrets }: Pick<ConnectionsDeps, 'egress' | 'secrets'>,
  connection: ConnectionRow,
): Promise<SmppClientOptions> {
  const { allowedCidrs } = connection
  const isAllowed = allowedCidrs.length === 0 ? () => true : withinNetworks(allowedCidrs)
  const addresses = (await egress.resolve(connection.host)).filter(({ address }) => isAllowed(address))
  if (addresses.length === 0)
    throw new EgressRefused('The host’s address is in none of the networks that this connection allows.')
  const host = withoutBrackets(connection.host)
  const { tlsCa: ca, tlsName } = connection
  return {
    host,
    addresses,
    port: connection.port,
    mode: connection.bindType,
    systemId: connection.systemId,
    password: secrets.decrypt(connection.encryptedPassword, passwordContext(connection.id)).toString('utf8'),
    systemType: connection.systemType,
    interfaceVersion: interfaceVersionOctet(connection.interfaceVersion),
    addrTon: connection.sourceTon,
    addrNpi: connection.sourceNpi,
    ...(connection.useTls && {
      tls: tlsOptions({ host, ca, name: tlsName === null ? null : withoutBrackets(tlsName) }),
    }),
  }
}

const withoutBrackets = (host: string): string => host.replace(/^\[|\]$/g, '')
