import type { ComponentProps } from 'react'
import { TextAreaField } from '../ui/Field.tsx'

/** The networks that somebody may come from, for the text of networks-text.ts. */
export function NetworksField(props: Omit<ComponentProps<typeof TextAreaField>, 'label'>) {
  return <TextAreaField label="Allowed Networks" isMono spellCheck={false} {...props} />
}
