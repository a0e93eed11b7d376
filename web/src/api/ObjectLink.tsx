import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { objectPath, type ObjectKind } from '../paths.ts'

interface ObjectLinkProps {
  readonly kind: ObjectKind
  readonly id: string | number
  readonly children: ReactNode
}

/** The name of a thing, leading to its own page. */
export function ObjectLink({ kind, id, children }: ObjectLinkProps) {
  return (
    <Link
      to={objectPath(kind, id)}
      // In a row that opens something else.
      onClick={(event) => event.stopPropagation()}
      className="rounded-xs text-accent-ink underline decoration-line-strong underline-offset-2 hover:decoration-current"
    >
      {children}
    </Link>
  )
}
