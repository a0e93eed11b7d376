import type { CaseLevel } from '@tollgate/contract/vocabulary.ts'
import { t } from '../language/t.ts'
import { Badge } from '../ui/Badge.tsx'

export const levelNames: Record<CaseLevel, string> = { hold: t('Would be held'), flag: t('Only noted') }

/** What a rule says of its case. */
export function CaseLevelBadge({ level }: { level: CaseLevel }) {
  return level === 'hold' ? (
    <Badge tone="warn" icon="ring">
      {levelNames.hold}
    </Badge>
  ) : (
    <Badge tone="idle" icon="minus">
      {levelNames.flag}
    </Badge>
  )
}
