import { useRef, type ComponentProps } from 'react'
import { useUnsaved } from './unsaved.ts'
import { useTyped } from './use-typed.ts'

interface PageFormProps extends Omit<ComponentProps<'form'>, 'ref'> {
  /** Whether leaving loses something. Left out, the typed fields decide. */
  readonly isDirty?: boolean
}

/** A form that stands in a page. Leaving the page asks once before it drops what was typed. */
export function PageForm({ isDirty, ...form }: PageFormProps) {
  const typed = useTyped()
  const element = useRef<HTMLFormElement>(null)
  useUnsaved({ place: 'page', element, isUnsaved: () => isDirty ?? typed.isTyped() })
  return <form ref={element} noValidate {...typed.handlers} {...form} />
}
