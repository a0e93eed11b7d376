import { flightRoutes, type FlightPdu } from '@tollgate/contract/gateway/flight-recorder.ts'
import { statusName } from '@tollgate/smpp/values/command-status.ts'
import type { Audit } from '../../audit/index.ts'
import type { Db } from '../../platform/db.ts'
import { bindRoutes, type BoundRoutes } from '../../http/handlers.ts'
import { transaction } from '../../platform/transaction.ts'
import type { FlightRecorder } from './recorder.ts'
import type { FlightField } from './decode-captured.ts'
import { findPdus, onUntil, switchLink, type FoundPdu } from './store.ts'

interface FlightRouteDeps {
  readonly db: Db
  readonly audit: Pick<Audit, 'record'>
  readonly flight: Pick<FlightRecorder, 'flushSoon'>
}

type StoredField = Omit<FlightField, 'hex'> & Partial<FlightField>

export function bindFlightRoutes({ db, audit, flight }: FlightRouteDeps): BoundRoutes {
  return bindRoutes(flightRoutes, {
    async getFlight({ params, query }) {
      const pdus = await findPdus(db, params.link, query)
      return {
        ...(isAlwaysOn(params.link)
          ? { isOn: true, onUntil: null }
          : toSwitch(await onUntil(db, params.link))),
        pdus: pdus.map(toPdu),
      }
    },
    async switchFlight({ params, body }, { actor, ip }) {
      const until = await transaction(db, async (tx) => {
        await audit.record(tx, {
          actor,
          ip,
          action: body.isOn ? 'flight.on' : 'flight.off',
          objectType: 'flight',
          objectId: params.link,
        })
        return switchLink(tx, params.link, body.isOn)
      })
      flight.flushSoon()
      return toSwitch(until)
    },
  })
}

function toPdu(pdu: FoundPdu): FlightPdu {
  // Rows of an older release have no octets; they are deleted within an hour.
  const fields = pdu.fields.map(({ name, value, hex = '' }: StoredField) => ({ name, value, hex }))
  return { ...pdu, fields, at: pdu.at.toISOString(), statusName: statusName(pdu.status) ?? '' }
}

/** Refused binds are captured without being switched on. */
function isAlwaysOn(link: string): boolean {
  return !/^(bind|connection)-/.test(link)
}

function toSwitch(until: Date | null) {
  return { isOn: until !== null, onUntil: until?.toISOString() ?? null }
}
