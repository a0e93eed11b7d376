// One row of the page table: what the router, the sidebar and the palette need to know of a page.
import type { Permission } from '@tollgate/contract/vocabulary.ts'
import type { LazyComponent } from '../ui/lazy-component.ts'

/** A number beside a sidebar entry, where someone must act. */
export interface NavCount {
  readonly value: number
  readonly tone: 'idle' | 'warn' | 'bad'
}

/** The schema of a page's address stays with the page (useUrlState): here it would be in every first visit. */
export interface ConsolePage {
  /** A route path; `$name` for parameters. */
  readonly path: string
  /** The document's title, and its name in the palette. */
  readonly title: string
  readonly permission: Permission
  /** Under 'Access Denied'; a sentence of the specification where it has one. */
  readonly denied?: string
  readonly component: LazyComponent<object>
  /** Fetches the hook for the counter beside the sidebar entry: `async () => (await import(…)).useWaiting`. */
  readonly loadCount?: () => Promise<() => NavCount | undefined>
}
