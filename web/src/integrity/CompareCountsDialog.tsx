// What a carrier counted beside what was counted here: the differences, each with a link to its messages.
import { Link } from '@tanstack/react-router'
import {
  carrierCountRoutes,
  type CountComparison,
  type CountDifference,
} from '@tollgate/contract/integrity/carrier-counts.ts'
import { useState } from 'react'
import { useApiMutation } from '../api/use-api.ts'
import { formatDay } from '../format/dates.ts'
import { formatCount } from '../format/money.ts'
import { formatPhone } from '../format/phone.ts'
import { t } from '../language/t.ts'
import { trafficPath } from '../paths.ts'
import { TextField } from '../ui/Field.tsx'
import { Notice } from '../ui/Notice.tsx'
import { statusLook } from '../ui/status.ts'
import { FaultyLines, UploadDialog } from './UploadDialog.tsx'

export function CompareCountsDialog({ onClose }: { onClose: () => void }) {
  const [gateway, setGateway] = useState('')
  const [found, setFound] = useState<CountComparison>()
  const { mutate, isPending, error } = useApiMutation(carrierCountRoutes.compareCounts, {
    failure: false,
    onSuccess: setFound,
  })
  const forget = () => setFound(undefined)
  return (
    <UploadDialog
      title={t("Our counts against a carrier's")}
      description={t(
        'From a .csv, .xlsx or .xls file, or pasted below. Needed are the columns day and count, and number or status.',
      )}
      placeholder={'day,number,count\n2026-11-16,449098790142,1200\n2026-11-17,449098790142,1180'}
      fields={
        <TextField
          label={t('Supplier')}
          hint={t('By its name in SMS Records; empty: all of them together')}
          value={gateway}
          maxLength={100}
          onChange={(event) => {
            setGateway(event.target.value)
            forget()
          }}
        />
      }
      report={found && <Comparison found={found} gateway={gateway.trim()} />}
      isChecked={false}
      isDone={found !== undefined}
      checkLabel={t('Compare')}
      isBusy={isPending}
      error={error}
      failure={t('Not compared')}
      takeLabel={t('Compare')}
      consequence={t('Nothing is stored. Days are in UTC.')}
      onSend={(body) => mutate({ query: gateway.trim() === '' ? {} : { gateway: gateway.trim() }, body })}
      onChanged={forget}
      onClose={onClose}
    />
  )
}

function Comparison({ found, gateway }: { found: CountComparison; gateway: string }) {
  const { lineCount, faultCount, faults, differenceCount, differences, sameCount } = found
  return (
    <div className="space-y-3">
      {faultCount > 0 && (
        <FaultyLines
          lineCount={lineCount}
          faultCount={faultCount}
          faults={faults.map(({ line, number: what, message, words = message }) => ({ line, what, words }))}
          consequence={t('These lines are not compared.')}
        />
      )}
      <Notice
        tone={differenceCount === 0 ? 'ok' : 'warn'}
        title={
          differenceCount === 0
            ? t('No count differs')
            : t('Counts that differ: {count}', { count: formatCount(differenceCount) })
        }
        isAlert
      >
        {t('The same: {same}. In all the carrier counted {theirs} messages, and {ours} were counted here.', {
          same: formatCount(sameCount),
          theirs: formatCount(found.theirCount),
          ours: formatCount(found.ourCount),
        })}
      </Notice>
      {differences.length > 0 && (
        <ul aria-label={t('Differences')} className="max-h-80 divide-y divide-line overflow-y-auto">
          {differences.map((each) => (
            <Difference key={`${each.day} ${each.number} ${each.status ?? ''}`} of={each} gateway={gateway} />
          ))}
        </ul>
      )}
      {differenceCount > differences.length && (
        <p className="text-ink-3">
          {t('The largest {count} are shown.', { count: formatCount(differences.length) })}
        </p>
      )}
    </div>
  )
}

function Difference({ of, gateway }: { of: CountDifference; gateway: string }) {
  const { day, number, status, theirCount, ourCount } = of
  const records = trafficPath({
    dateFrom: day,
    dateTo: day,
    ...(number !== '' && { number }),
    ...(status !== null && { status }),
    ...(gateway !== '' && { gateway }),
  })
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 py-1.5">
      <span>
        {formatDay(day)}
        {number !== '' && <span className="phone-number ps-2">{formatPhone(number)}</span>}
        {status !== null && <span className="ps-2">{statusLook('record', status).label}</span>}
      </span>
      <span>
        {t('theirs {theirs}, ours {ours}', { theirs: formatCount(theirCount), ours: formatCount(ourCount) })}
      </span>
      <Link
        to={records as string}
        className="text-accent-ink underline underline-offset-2"
        aria-label={t('Messages of {day} {number}', { day: formatDay(day), number: formatPhone(number) })}
      >
        {t('Messages')}
      </Link>
    </li>
  )
}
