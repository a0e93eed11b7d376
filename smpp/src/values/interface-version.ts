// SMPP 3.4 §5.2.4. A peer that says 0x00–0x33 must never see an optional parameter (§3.4.2).

export const interfaceVersion = { v33: 0x33, v34: 0x34, v50: 0x50 } as const

type InterfaceVersionName = '3.3' | '3.4' | '5.0'

const byName: Record<InterfaceVersionName, number> = { '3.3': 0x33, '3.4': 0x34, '5.0': 0x50 }

/** The octet to bind with for a version's written name. */
export function interfaceVersionOctet(name: InterfaceVersionName): number {
  return byName[name]
}

/** Whether TLVs may be sent to a peer that bound with (or answered) this version. */
export function takesTlvs(version: number): boolean {
  return version >= interfaceVersion.v34
}
