import type { ComponentProps } from 'react'
import { TextAreaField } from '../ui/Field.tsx'
import { t } from '../language/t.ts'

/** The networks that somebody may come from, for the text of networks-text.ts. */
export function NetworksField(props: Omit<ComponentProps<typeof TextAreaField>, 'label'>) {
  return <TextAreaField label={t('Allowed Networks')} isMono spellCheck={false} {...props} />
}
