import { t } from '../language/t.ts'
import { formatDateTime } from './dates.ts'

/** Who did something, and when. Each is whole in it, whichever way the words around run. */
export function byAt(name: string, at: Parameters<typeof formatDateTime>[0]): string {
  return t('{name}, {at}', { name, at: formatDateTime(at) })
}
