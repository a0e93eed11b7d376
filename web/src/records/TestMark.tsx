import type { SmsRecord } from '@tollgate/contract/records/records.ts'
import { Badge } from '../ui/Badge.tsx'
import { t } from '../language/t.ts'
import { isTest } from './matches-filters.ts'

/** The mark of a test message; nothing for any other. */
export function TestMark({ record }: { record: Pick<SmsRecord, 'source'> }) {
  if (!isTest(record)) return null
  return (
    <Badge tone="info" icon="sent">
      {t('Test')}
    </Badge>
  )
}
