import type { Activity } from '@tollgate/contract/interconnection.ts'
import type { LampShape } from '../../ui/Lamp.tsx'

/** The lamp of a tone: shape and word carry the state, colour confirms it. */
export const toneLamps: Record<Activity['tone'], LampShape> = {
  ok: 'check',
  info: 'half',
  warn: 'ring',
  bad: 'x',
  idle: 'minus',
}
