// Where a version is on its way: not tried, being tried, tried, waiting, live.
import { backTestRoutes, type BackTest } from '@tollgate/contract/integrity/back-tests.ts'
import type { IntegrityVersion } from '@tollgate/contract/integrity/versions.ts'
import { useApiQuery } from '../api/use-api.ts'
import { formatDateTime } from '../format/dates.ts'
import { formatCount, formatDecimal } from '../format/money.ts'
import { t } from '../language/t.ts'
import { Badge } from '../ui/Badge.tsx'

/** What shows anything of versions. */
export const versionPaths = ['/api/integrity/versions', '/api/integrity/back-tests', '/api/admin/settings']

// While one is under way its count changes.
const pollMs = 3_000

/** The last back-tests, and the one that says most of a version: the newest that is done, or the one under way. */
export function useBackTests() {
  const list = useApiQuery(backTestRoutes.listBackTests, {}, { refetchIntervalMs: pollMs })
  const stateOf = ({ id }: Pick<IntegrityVersion, 'id'>): BackTest | undefined => {
    const own = (list.data ?? []).filter(({ versionId }) => versionId === id)
    return own.find(({ isDone }) => isDone) ?? own[0]
  }
  return { list, stateOf }
}

/** Whether a version may go live. The list of versions may be older than that of back-tests. */
export const isTried = (version: IntegrityVersion, test: BackTest | undefined): boolean =>
  version.isTried || test?.isDone === true

/** Whole and tenths of a percent. */
export function shareOf(part: string, whole: string): string {
  return formatDecimal(Number(whole) === 0 ? 0 : (100 * Number(part)) / Number(whole), 1)
}

export function VersionBadge({ version, test }: { version: IntegrityVersion; test: BackTest | undefined }) {
  const { isLive, pending } = version
  if (isLive)
    return (
      <Badge tone="ok" icon="check">
        {t('Live')}
      </Badge>
    )
  if (pending !== null)
    return (
      <Badge tone="warn" icon="ring">
        {pending.approvedBy === '' && !pending.isAlone
          ? t('Waits for a second admin')
          : t('Begins {time}', { time: formatDateTime(pending.beginsAt) })}
      </Badge>
    )
  if (isTried(version, test))
    return (
      <Badge tone="info" icon="check">
        {version.liveFrom === null && version.madeBy !== '' ? t('Back-tested') : t('Live before')}
      </Badge>
    )
  if (test !== undefined)
    return (
      <Badge tone="info" icon="half">
        {t('Back-test: {judged} of {count}', {
          judged: formatCount(test.judgedCount),
          count: formatCount(test.dayCount),
        })}
      </Badge>
    )
  return (
    <Badge tone="idle" icon="ring">
      {t('Needs a back-test')}
    </Badge>
  )
}
