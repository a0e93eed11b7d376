import { Fragment, type ReactNode } from 'react'
import { t } from './t.ts'

/** A sentence with something in it that is more than text: a link, a command. Each `{name}` is replaced by its node. */
export function tNodes(english: string, nodes: Readonly<Record<string, ReactNode>>): ReactNode {
  return t(english)
    .split(/\{(\w+)\}/)
    .map((part, place) => <Fragment key={place}>{place % 2 === 0 ? part : nodes[part]}</Fragment>)
}
