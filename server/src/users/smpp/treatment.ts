// How an account's sessions are treated.
import type { SmppProfile } from '@tollgate/contract/users/smpp-profile.ts'

/** The part of an account's SMPP profile that is at work in a session. */
export type SessionTreatment = Pick<
  SmppProfile,
  | 'deliveryWindow'
  | 'defaultAlphabet'
  | 'isStrict'
  | 'enquireLinkSeconds'
  | 'inactivitySeconds'
  | 'messageIdForm'
  | 'interfaceVersion'
>

/** The treatment alone, of a row that has more fields. */
export function treatmentOf(from: SessionTreatment): SessionTreatment {
  const { deliveryWindow, defaultAlphabet, isStrict, messageIdForm, interfaceVersion } = from
  const { enquireLinkSeconds, inactivitySeconds } = from
  return {
    deliveryWindow,
    defaultAlphabet,
    isStrict,
    enquireLinkSeconds,
    inactivitySeconds,
    messageIdForm,
    interfaceVersion,
  }
}

export function isSameTreatment(one: SessionTreatment, other: SessionTreatment): boolean {
  return (Object.keys(treatmentOf(one)) as (keyof SessionTreatment)[]).every(
    (name) => one[name] === other[name],
  )
}
