import { recordStatuses } from '@tollgate/contract/vocabulary.ts'
import type { Option } from '../ui/Field.tsx'
import { statusLook } from '../ui/status.ts'
import type { RecordsSearch } from './search.ts'
import { t } from '../language/t.ts'

const options: readonly Option[] = [
  { value: 'all', label: t('All Statuses') },
  ...recordStatuses.map((value) => ({ value, label: statusLook('record', value).label })),
]

/** All statuses of a record. The dashboard's 'delivered' is added while a link has chosen it. */
export function statusOptions(chosen: RecordsSearch['status']): readonly Option[] {
  return chosen === 'delivered'
    ? [...options, { value: chosen, label: statusLook('activity', chosen).label }]
    : options
}
