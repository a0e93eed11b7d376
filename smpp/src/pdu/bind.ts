// §4.1: the three binds are one layout; their responses too.
import { commandStatus } from '../values/command-status.ts'
import { definePdu } from './define.ts'
import { cOctet, integer } from './field.ts'

// §5.2.2 gives the password 9 octets. Longer ones are read, because some SMSCs agree on them; `onBind` decides whether
// the account may use one.
const bindFields = {
  systemId: cOctet(16, commandStatus.ESME_RINVSYSID),
  password: cOctet(65, commandStatus.ESME_RINVPASWD),
  systemType: cOctet(13, commandStatus.ESME_RINVSYSTYP),
  interfaceVersion: integer(),
  addrTon: integer(),
  addrNpi: integer(),
  addressRange: cOctet(41, commandStatus.ESME_RBINDFAIL),
}
const bindRespFields = { systemId: cOctet(16, commandStatus.ESME_RINVSYSID) }

export const bindReceiver = definePdu('bind_receiver', bindFields)
export const bindTransmitter = definePdu('bind_transmitter', bindFields)
export const bindTransceiver = definePdu('bind_transceiver', bindFields)
export const bindReceiverResp = definePdu('bind_receiver_resp', bindRespFields)
export const bindTransmitterResp = definePdu('bind_transmitter_resp', bindRespFields)
export const bindTransceiverResp = definePdu('bind_transceiver_resp', bindRespFields)

/** §4.1.7: the SMSC asks a receiver to bind. It has no response of its own. */
export const outbind = definePdu('outbind', {
  systemId: cOctet(16, commandStatus.ESME_RINVSYSID),
  password: cOctet(65, commandStatus.ESME_RINVPASWD),
})
