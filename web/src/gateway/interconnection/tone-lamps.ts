import type { Activity } from '@tollgate/contract/interconnection.ts'
import type { LampShape } from '../../ui/Lamp.tsx'

/** The lamp of a tone. Shape and label carry the state; colour only supports it. */
export const toneLamps: Record<Activity['tone'], LampShape> = {
  ok: 'check',
  info: 'half',
  warn: 'ring',
  bad: 'x',
  idle: 'minus',
}
