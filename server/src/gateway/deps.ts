// What the gateway asks of the slices beneath it. compose.ts connects these; tests hand in their own.
import type { SmppStatus } from '@tollgate/contract/gateway.ts'
import type { Integrity } from '../integrity/index.ts'
import type { Ingest } from '../records/index.ts'
import type { Users } from '../users/index.ts'

/** The users slice, as far as the gateway needs it. */
export type SmppAccounts = Pick<Users, 'findSmppAccount' | 'onAccountChanged'>

/** The storing end, as far as the gateway needs it. */
export type MessageStore = Pick<Ingest, 'accept' | 'storeWithin' | 'refuse' | 'gatewayId' | 'pace' | 'nowMs'>

/** Where a message that may be one too many is held from billing. */
export type HoldStore = Pick<Integrity, 'hold'>

/** Our links to outside gateways, for the status. */
export type OutboundLinks = () => Promise<SmppStatus['outbound']['connections']>

/** What the last check of the ledger found, for the status. */
export type LedgerState = () => Promise<SmppStatus['ledger']>
