// What the gateway needs from other slices. compose.ts connects these; tests pass their own.
import type { Words } from '@tollgate/contract/sentences.ts'
import type { SmppStatus } from '@tollgate/contract/gateway/gateway.ts'
import type { Ingest, RecordKey } from '../ingest/index.ts'
import type { Db } from '../platform/db.ts'
import type { Users } from '../users/index.ts'

/** The users slice, as far as the gateway needs it. */
export type SmppAccounts = Pick<Users, 'findSmppAccount' | 'onAccountChanged'>

/** The ingest of records, as far as the gateway needs it. */
export type MessageStore = Pick<Ingest, 'accept' | 'storeWithin' | 'refuse' | 'gatewayId' | 'pace' | 'nowMs'>

/** Holds a record from billing that may be a duplicate, in the transaction that stores it. */
export interface HoldStore {
  /** Returns the hold's id; undefined when nobody earns by the record. */
  hold(
    tx: Db,
    key: RecordKey,
    cause: { readonly rule: string; readonly explanation: Words; readonly score: number },
  ): Promise<string | undefined>
}

/** Our connections to upstreams, for the status. */
export type OutboundLinks = () => Promise<SmppStatus['outbound']['connections']>

/** The result of the last ledger check, for the status. */
export type LedgerState = () => Promise<SmppStatus['ledger']>
