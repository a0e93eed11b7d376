// §4.12.1 alert_notification: a subscriber has become reachable. It has no response.
import { commandStatus } from '../values/command-status.ts'
import { definePdu } from './define.ts'
import { cOctet, integer } from './field.ts'

export const alertNotification = definePdu('alert_notification', {
  sourceAddrTon: integer(),
  sourceAddrNpi: integer(),
  sourceAddr: cOctet(65, commandStatus.ESME_RINVSRCADR),
  esmeAddrTon: integer(),
  esmeAddrNpi: integer(),
  esmeAddr: cOctet(65, commandStatus.ESME_RINVDSTADR),
})
