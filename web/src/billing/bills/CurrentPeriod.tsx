import type { BillingPeriod } from '@tollgate/contract/billing/bills.ts'
import { ChevronRight } from 'lucide-react'
import { RefreshNote } from '../../api/RefreshNote.tsx'
import { useUser } from '../../api/session.tsx'
import { formatDay, formatDuration, formatEdge, formatWeekday, toDayInput } from '../../format/dates.ts'
import { formatAmountFigure, formatCostPerSms, formatCount, formatUsdt } from '../../format/money.ts'
import { shortenForStaff } from '../../format/shorten.ts'
import { StatusBadge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { Pairs } from '../../ui/Card.tsx'
import { WeekStrip, type StripDay } from '../../ui/charts/WeekStrip.tsx'
import { LongValue } from '../../ui/LongValue.tsx'
import { Skeleton } from '../../ui/States.tsx'
import { useNow } from '../../ui/use-now.ts'
import { DueStates, useOwnDue } from '../../money/OwnDue.tsx'
import { RecordsLink } from '../../money/RecordsLink.tsx'
import { billState } from '../../amendments/amendment-words.ts'
import { describeCost, formatBillingPeriod } from '../../money/bill-text.ts'
import { useWeek } from '../../records/queries.ts'
import { CyclePace, CycleSplit } from '../../records/CycleSplit.tsx'
import { t, joined } from '../../language/t.ts'

interface CurrentPeriodProps {
  readonly period: BillingPeriod
  /** The newest bill, while it is not paid. */
  readonly lastBill?: BillingPeriod
  readonly onOpen: (id: string) => void
  readonly onProfile: () => void
}

/** Spec §2, Current Period, with live figures. The last bill stands below until it is paid. */
export function CurrentPeriod({ period, lastBill, onOpen, onProfile }: CurrentPeriodProps) {
  const { role } = useUser()
  return (
    <section
      aria-label={t('Current Period')}
      className="overflow-hidden rounded-lg border border-line bg-surface shadow-card"
    >
      <div className="grid lg:grid-cols-[minmax(19rem,2fr)_minmax(0,3.5fr)]">
        <div className="space-y-4 p-5">
          <div className="space-y-1">
            <div className="flex flex-wrap items-center gap-2">
              <h2 className="text-md">{t('Current Period')}</h2>
              <StatusBadge kind="currentBill" status={period.status} />
            </div>
            <p className="text-[2.375rem] leading-11.5 font-semibold tracking-[-0.03em] [font-variant-numeric:proportional-nums]">
              {formatAmountFigure(period.totalCost)}{' '}
              <span className="text-md font-normal tracking-normal text-ink-3">{t('USDT')}</span>
            </p>
            <p className="text-ink-3">
              {t('You earn {cost}, so far in the bill', { cost: describeCost(period) })}
            </p>
          </div>
          <div className="border-t border-line pt-4">
            <Pairs
              items={[
                { label: t('Period Start'), value: formatEdge(period.periodStart) },
                { label: t('Period End'), value: formatEdge(period.periodEnd) },
                {
                  label: t('SMS Count'),
                  value: (
                    <RecordsLink url={period.recordsUrl} label={t("Records of this period's bill")}>
                      {formatCount(period.totalSmsCount)}
                    </RecordsLink>
                  ),
                },
                { label: t('Cost per SMS'), value: formatCostPerSms(period.costPerSms) },
                { label: t('Total Cost'), value: <strong>{formatUsdt(period.totalCost)}</strong> },
              ]}
            />
          </div>
          <Button size="sm" onClick={() => onOpen(period.id)}>
            {t('Show lines')}
            <ChevronRight size={15} strokeWidth={1.6} aria-hidden="true" />
          </Button>
        </div>
        <div className="min-w-0 border-line p-5 max-lg:border-t lg:border-s">
          {/* Staff would see the traffic of all clients here, which is not in this bill. */}
          {role === 'user' ? <PeriodHours period={period} /> : <StaffNote period={period} />}
        </div>
      </div>
      {lastBill && <LastBill bill={lastBill} onProfile={onProfile} />}
    </section>
  )
}

function StaffNote({ period }: { period: BillingPeriod }) {
  const now = useNow(60_000)
  return (
    <p className="text-ink-3">
      {joined(
        t('What your own numbers earn.'),
        closeSentence(period, now),
        t('Everybody’s bills are in Payment Management.'),
      )}
    </p>
  )
}

const dayMs = 86_400_000

function closeSentence({ periodEnd }: BillingPeriod, now: number): string {
  const leftMs = Date.parse(periodEnd) - now
  return leftMs > 0
    ? t('The period closes in {duration}.', { duration: formatDuration(leftMs) })
    : t('The period is closing now.')
}

/** 'day 3 of 7 · closes in 4 d 2 h'. */
function placeIn({ periodStart, periodEnd }: BillingPeriod, now: number): string {
  const leftMs = Date.parse(periodEnd) - now
  const dayCount = Math.round((Date.parse(periodEnd) - Date.parse(periodStart)) / dayMs)
  const day = Math.floor((now - Date.parse(periodStart)) / dayMs) + 1
  const closes =
    leftMs > 0 ? t('closes in {duration}', { duration: formatDuration(leftMs) }) : t('closing now')
  return dayCount > 1
    ? `${t('day {day} of {count}', { day: Math.min(Math.max(day, 1), dayCount), count: dayCount })} · ${closes}`
    : closes
}

function PeriodHours({ period }: { period: BillingPeriod }) {
  const now = useNow(30_000)
  const week = useWeek()
  const today = toDayInput(now)
  const days = week.data?.days.map(({ day, hours }): StripDay => {
    const state = day === today ? 'today' : day < today ? 'past' : 'future'
    const place = { weekday: formatWeekday(day), date: formatDay(day).slice(0, 5) }
    return { ...place, state, hours: state === 'future' ? [] : hours }
  })
  return (
    <div className="space-y-3">
      <div className="flex flex-wrap items-baseline justify-between gap-x-4">
        <h3 className="font-medium">{t('SMS per hour, with day totals')}</h3>
        <span className="text-ink-3">{placeIn(period, now)}</span>
      </div>
      {days ? (
        <WeekStrip
          label={t('SMS per hour, {period}', { period: formatBillingPeriod(period) })}
          days={days}
          heightPx={176}
        />
      ) : week.error ? (
        <p className="text-ink-3">{t('The hours could not be fetched. The figures beside are complete.')}</p>
      ) : (
        <Skeleton className="h-52 w-full" />
      )}
      <p className="text-xs text-ink-3">
        {week.data && (
          <>
            <CyclePace week={week.data} /> <CycleSplit week={week.data} />
          </>
        )}
      </p>
      <RefreshNote of={[week]} />
    </div>
  )
}

/** All that is owed, and how far its payment is. */
function Due() {
  const { data } = useOwnDue()
  if (data === undefined || data.count === 0) return null
  return (
    <div className="basis-full border-t border-line pt-2">
      {t('Due to you')} <strong>{formatUsdt(data.dueAmount)}</strong>
      <span className="block text-ink-2">
        <DueStates due={data} />
      </span>
    </div>
  )
}

function LastBill({ bill, onProfile }: { bill: BillingPeriod; onProfile: () => void }) {
  return (
    <footer className="flex flex-wrap items-center gap-x-4 gap-y-2 border-t border-line bg-surface-2 px-5 py-3">
      <StatusBadge kind="currentBill" status={billState(bill)} />
      <span className="text-ink-2">{formatBillingPeriod(bill)}</span>
      <strong>{formatUsdt(bill.dueAmount)}</strong>
      {bill.usdtAddress === '' ? (
        <span className="ms-auto flex flex-wrap items-center gap-2">
          <span className="text-warn-ink">{t('It cannot be paid: there is no USDT address yet.')}</span>
          <Button size="sm" onClick={onProfile}>
            {t('Enter an address')}
          </Button>
        </span>
      ) : (
        <span className="ms-auto inline-flex items-center gap-2 text-ink-3">
          {t('to')}
          <LongValue
            value={bill.usdtAddress}
            short={shortenForStaff(bill.usdtAddress)}
            what={t('address')}
            words={{ title: t('Copied'), text: t('Address copied to clipboard') }}
          />
        </span>
      )}
      <Due />
    </footer>
  )
}
