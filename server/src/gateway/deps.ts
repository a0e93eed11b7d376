// What the gateway needs from other slices. compose.ts connects these; tests pass their own.
import type { SmppStatus } from '@tollgate/contract/gateway.ts'
import type { Integrity } from '../integrity/index.ts'
import type { Ingest } from '../records/index.ts'
import type { Users } from '../users/index.ts'

/** The users slice, as far as the gateway needs it. */
export type SmppAccounts = Pick<Users, 'findSmppAccount' | 'onAccountChanged'>

/** The ingest of records, as far as the gateway needs it. */
export type MessageStore = Pick<Ingest, 'accept' | 'storeWithin' | 'refuse' | 'gatewayId' | 'pace' | 'nowMs'>

/** Holds a record from billing that may be a duplicate. */
export type HoldStore = Pick<Integrity, 'hold'>

/** Our connections to upstreams, for the status. */
export type OutboundLinks = () => Promise<SmppStatus['outbound']['connections']>

/** The result of the last ledger check, for the status. */
export type LedgerState = () => Promise<SmppStatus['ledger']>
