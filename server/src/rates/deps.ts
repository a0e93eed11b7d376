// What the slice is built from.
import type { Audit } from '../audit/index.ts'
import type { RefuseOwnAccount } from '../numbers/index.ts'
import type { Db } from '../platform/db.ts'
import type { Settings } from '../settings/index.ts'

export interface RatesDeps {
  readonly db: Db
  readonly audit: Pick<Audit, 'record'>
  readonly settings: Settings
  /** Nobody sets the rate of his own account. */
  readonly refuseOwnAccount: RefuseOwnAccount
}
