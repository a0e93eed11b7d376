// SMPP 3.4 §5.1.3, Table 5-2: every command_status (a data table).

const table = {
  ESME_ROK: [0x00, 'No error'],
  ESME_RINVMSGLEN: [0x01, 'Message length is invalid'],
  ESME_RINVCMDLEN: [0x02, 'Command length is invalid'],
  ESME_RINVCMDID: [0x03, 'Invalid command ID'],
  ESME_RINVBNDSTS: [0x04, 'Incorrect bind status for the given command'],
  ESME_RALYBND: [0x05, 'Already in bound state'],
  ESME_RINVPRTFLG: [0x06, 'Invalid priority flag'],
  ESME_RINVREGDLVFLG: [0x07, 'Invalid registered delivery flag'],
  ESME_RSYSERR: [0x08, 'System error'],
  ESME_RINVSRCADR: [0x0a, 'Invalid source address'],
  ESME_RINVDSTADR: [0x0b, 'Invalid destination address'],
  ESME_RINVMSGID: [0x0c, 'Message ID is invalid'],
  ESME_RBINDFAIL: [0x0d, 'Bind failed'],
  ESME_RINVPASWD: [0x0e, 'Invalid password'],
  ESME_RINVSYSID: [0x0f, 'Invalid system ID'],
  ESME_RCANCELFAIL: [0x11, 'Cancel failed'],
  ESME_RREPLACEFAIL: [0x13, 'Replace failed'],
  ESME_RMSGQFUL: [0x14, 'Message queue full'],
  ESME_RINVSERTYP: [0x15, 'Invalid service type'],
  ESME_RINVNUMDESTS: [0x33, 'Invalid number of destinations'],
  ESME_RINVDLNAME: [0x34, 'Invalid distribution list name'],
  ESME_RINVDESTFLAG: [0x40, 'Destination flag is invalid'],
  ESME_RINVSUBREP: [0x42, 'Invalid submit with replace request'],
  ESME_RINVESMCLASS: [0x43, 'Invalid esm_class'],
  ESME_RCNTSUBDL: [0x44, 'Cannot submit to distribution list'],
  ESME_RSUBMITFAIL: [0x45, 'Submit failed'],
  ESME_RINVSRCTON: [0x48, 'Invalid source address TON'],
  ESME_RINVSRCNPI: [0x49, 'Invalid source address NPI'],
  ESME_RINVDSTTON: [0x50, 'Invalid destination address TON'],
  ESME_RINVDSTNPI: [0x51, 'Invalid destination address NPI'],
  ESME_RINVSYSTYP: [0x53, 'Invalid system type'],
  ESME_RINVREPFLAG: [0x54, 'Invalid replace_if_present flag'],
  ESME_RINVNUMMSGS: [0x55, 'Invalid number of messages'],
  ESME_RTHROTTLED: [0x58, 'Throttling error: allowed message limits exceeded'],
  ESME_RINVSCHED: [0x61, 'Invalid scheduled delivery time'],
  ESME_RINVEXPIRY: [0x62, 'Invalid message validity period'],
  ESME_RINVDFTMSGID: [0x63, 'Predefined message invalid or not found'],
  ESME_RX_T_APPN: [0x64, 'Temporary application error'],
  ESME_RX_P_APPN: [0x65, 'Permanent application error'],
  ESME_RX_R_APPN: [0x66, 'Message rejected by the application'],
  ESME_RQUERYFAIL: [0x67, 'Query failed'],
  ESME_RINVOPTPARSTREAM: [0xc0, 'Error in the optional part of the PDU body'],
  ESME_ROPTPARNOTALLWD: [0xc1, 'Optional parameter not allowed'],
  ESME_RINVPARLEN: [0xc2, 'Invalid parameter length'],
  ESME_RMISSINGOPTPARAM: [0xc3, 'Expected optional parameter missing'],
  ESME_RINVOPTPARAMVAL: [0xc4, 'Invalid optional parameter value'],
  ESME_RDELIVERYFAILURE: [0xfe, 'Delivery failure'],
  ESME_RUNKNOWNERR: [0xff, 'Unknown error'],
} as const satisfies Record<string, readonly [number, string]>

type CommandStatusName = keyof typeof table

const entries = Object.entries(table) as [CommandStatusName, readonly [number, string]][]

/** Status codes by the specification's name: `commandStatus.ESME_RTHROTTLED` is 0x58. */
export const commandStatus = Object.fromEntries(entries.map(([name, [code]]) => [name, code])) as {
  readonly [Name in CommandStatusName]: (typeof table)[Name][0]
}

const byCode = new Map<number, { name: CommandStatusName; text: string }>(
  entries.map(([name, [code, text]]) => [code, { name, text }]),
)

/** The name of a status code; undefined for a reserved or vendor-specific one. */
export function statusName(code: number): CommandStatusName | undefined {
  return byCode.get(code)?.name
}

/** What a status code means, in words fit for a screen; never fails. */
export function statusText(code: number): string {
  const hex = `0x${code.toString(16).toUpperCase().padStart(2, '0')}`
  const known = byCode.get(code)
  if (known !== undefined) return `${known.text} (${hex})`
  // Table 5-2 gives 0x400–0x4FF to the SMSC vendors; all else is reserved.
  return code >= 0x400 && code <= 0x4ff ? `SMSC vendor error (${hex})` : `Reserved status (${hex})`
}

/** SMPP 3.4 §5.1.3: whether a peer accepted nothing because it is busy, so that the same message may be sent again. */
export function isBusy(status: number): boolean {
  return status === commandStatus.ESME_RMSGQFUL || status === commandStatus.ESME_RTHROTTLED
}
