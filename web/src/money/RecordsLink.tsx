import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { paths } from '../paths.ts'
import { linkName } from '../ui/link-name.ts'
import { parseSearch } from '../url-state.ts'

interface RecordsLinkProps {
  /** A path of the records list, as the API gives it. */
  readonly url: string
  /** For screen readers: whose records. */
  readonly label: string
  readonly children: ReactNode
}

/** A figure that leads to exactly its messages. */
export function RecordsLink({ url, label, children }: RecordsLinkProps) {
  return (
    <Link
      to={paths.records}
      // The type belongs to the other page's schema; the router only knows that a search is an object.
      search={parseSearch(url.slice(url.indexOf('?'))) as never}
      aria-label={linkName(children, label)}
      className="text-accent-ink underline underline-offset-2"
    >
      {children}
    </Link>
  )
}
