// One row of the page table: what the router, the sidebar and the palette need to know about a page.
import type { SignedInUser, User } from '@tollgate/contract/users/users.ts'
import { isPermitted, type Permission } from '@tollgate/contract/vocabulary.ts'
import type { LazyComponent } from '../ui/lazy-component.ts'

/** A counter beside a sidebar entry, where somebody must act. */
export interface NavCount {
  readonly value: number
  readonly tone: 'idle' | 'warn' | 'bad'
}

/** A page keeps the schema of its address itself (useUrlState), so that it is not in the first page. */
export interface ConsolePage {
  /** A route path; `$name` for parameters. */
  readonly path: string
  /** The document's title, and the name in the palette. */
  readonly title: string
  readonly permission: Permission
  /** Only for accounts that may bind. */
  readonly needsSmppAccess?: true
  /** It shows nothing to who sends to the numbers of others alone, and is not in their navigation. */
  readonly isOfHolders?: true
  readonly component: LazyComponent<object>
  /** Loads the hook for the counter beside the sidebar entry: `async () => (await import(…)).useWaiting`. */
  readonly loadCount?: () => Promise<() => NavCount | undefined>
}

/** Whether the sidebar has the page: what a person may open, for suppliers without what is of holders alone. */
export function isInSidebar(user: SignedInUser, page: ConsolePage): boolean {
  return mayOpen(user, page) && !(user.isSupplier === true && page.isOfHolders === true)
}

/** Whether this person may open the page; the sidebar and the palette show no other. */
export function mayOpen({ role, smppAccess }: Pick<User, 'role' | 'smppAccess'>, page: ConsolePage): boolean {
  return isPermitted(role, page.permission) && (smppAccess || page.needsSmppAccess !== true)
}
