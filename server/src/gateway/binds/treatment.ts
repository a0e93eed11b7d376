// How a bind is treated by the profile of its account: at its bind, and whenever the profile changes.
import type { SessionProfile } from '@tollgate/smpp/session/session-types.ts'
import { interfaceVersionOctet, takesTlvs } from '@tollgate/smpp/values/interface-version.ts'
import type { SessionTreatment } from '../../users/index.ts'
import type { IdStyle } from '../../ingest/index.ts'

/** What the SMPP library has to know; `named` is the version that the peer named in its bind. */
export function sessionProfileOf(treatment: SessionTreatment, named: number): SessionProfile {
  return {
    isStrict: treatment.isStrict,
    enquireLinkMs: treatment.enquireLinkSeconds * 1_000,
    inactivityMs: treatment.inactivitySeconds * 1_000,
    sendWindowMax: treatment.deliveryWindow,
    interfaceVersion: versionOf(treatment, named),
  }
}

/** How the bind gets its message ids: SMPP 3.3 has room for 8 characters. */
export function idStyleOf(treatment: SessionTreatment, named: number): IdStyle {
  return { form: treatment.messageIdForm, isShort: !takesTlvs(versionOf(treatment, named)) }
}

function versionOf({ interfaceVersion }: SessionTreatment, named: number): number {
  return interfaceVersion === 'peer' ? named : interfaceVersionOctet(interfaceVersion)
}
