import { rangesRoutes, type NumberRange } from '@tollgate/contract/numbers/ranges.ts'
import { Pencil, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useSession } from '../api/session.tsx'
import { useApiQuery } from '../api/use-api.ts'
import { formatDateTime } from '../format/dates.ts'
import { formatAmountFigure, formatTariff } from '../format/money.ts'
import { formatPhone } from '../format/phone.ts'
import {
  earningDays,
  EarningPeriodChoice,
  RangeFigure,
  useRangeEarnings,
} from '../numbers/ranges/earnings.tsx'
import { ComingTariff } from '../numbers/ranges/ComingTariff.tsx'
import { DeleteRangeDialog, EditRangeDialog } from '../numbers/ranges/RangeDialogs.tsx'
import type { EarningPeriod } from '../numbers/ranges/search.ts'
import { paths } from '../paths.ts'
import { StatusBadge } from '../ui/Badge.tsx'
import { Button } from '../ui/Button.tsx'
import { PhoneNumber } from '../ui/PhoneNumber.tsx'
import { StatStrip } from '../ui/StatStrip.tsx'
import { useNow } from '../ui/use-now.ts'
import { NumbersOf } from './NumbersOf.tsx'
import { ObjectPage, ObjectState, isGone, useObjectId } from './ObjectPage.tsx'
import { trafficTab, useStaffTabs } from './shared-tabs.tsx'
import { t } from '../language/t.ts'

const home = { label: t('Number Ranges'), path: paths.ranges }

/** One range: its tariff, its numbers and their traffic. A client sees its own numbers in it. */
export function RangePage() {
  const id = useObjectId()
  const range = useApiQuery(rangesRoutes.getRange, { params: { id } })
  if (!range.data || isGone(range)) return <ObjectState of={range} kind="range" home={home} />
  return <RangeView key={id} range={range.data} />
}

function RangeView({ range }: { range: NumberRange }) {
  const isStaff = useSession().may('numbersManagement')
  const staffTabs = useStaffTabs('range', range.id)
  return (
    <ObjectPage
      name={range.rangeNumber}
      what={range.description === '' ? t('a range of numbers') : range.description}
      home={home}
      badge={<StatusBadge kind="account" status={range.status} />}
      actions={isStaff ? <RangeActions range={range} /> : undefined}
      facts={[
        { label: t('Start Number'), value: <PhoneNumber value={range.startNumber} /> },
        { label: t('End Number'), value: <PhoneNumber value={range.endNumber} /> },
        {
          label: t('Rate'),
          value: (
            <span>
              {t('{amount} for each SMS', { amount: formatTariff(range.rate) })}
              <ComingTariff range={range} />
            </span>
          ),
        },
        { label: t('Added'), value: formatDateTime(range.createdAt) },
      ]}
      tabs={[
        {
          value: 'overview',
          label: t('Numbers'),
          content: (
            <div className="space-y-4">
              <EarnedByRange range={range} />
              <NumbersOf
                query={{ rangeId: range.id }}
                empty={
                  isStaff
                    ? t('No number from {startNumber} to {endNumber} yet', {
                        startNumber: formatPhone(range.startNumber),
                        endNumber: formatPhone(range.endNumber),
                      })
                    : t('You hold no number of this range')
                }
              />
            </div>
          ),
        },
        trafficTab({ range: range.rangeNumber }, 'range'),
        ...staffTabs,
      ]}
    />
  )
}

/** What the range brought in a period: everybody's, or a client's own part. */
function EarnedByRange({ range }: { range: NumberRange }) {
  const isStaff = useSession().may('numbersManagement')
  const [period, setPeriod] = useState<EarningPeriod>('30')
  const earnings = useRangeEarnings({ id: range.id }, earningDays(period, useNow(60_000)))
  const margin = earnings.total?.margin ?? null
  return (
    <div className="space-y-2">
      <EarningPeriodChoice value={period} onChange={setPeriod} />
      <StatStrip
        label={t('Earned')}
        stats={[
          {
            label: t('Messages'),
            figure: <RangeFigure range={range} earnings={earnings} shows="count" />,
          },
          {
            label: t('Earned'),
            figure: <RangeFigure range={range} earnings={earnings} shows="amountUsd" />,
            unit: t('USD'),
            note: isStaff ? t('by the holders of the numbers') : t('by your numbers in this range'),
          },
          ...(margin === null
            ? []
            : [
                {
                  label: t('Margin'),
                  figure: formatAmountFigure(margin),
                  unit: t('USDT'),
                  note: t('before holds and corrections'),
                },
              ]),
        ]}
      />
    </div>
  )
}

function RangeActions({ range }: { range: NumberRange }) {
  const [open, setOpen] = useState<'edit' | 'delete'>()
  const close = () => setOpen(undefined)
  return (
    <>
      <Button icon={Pencil} onClick={() => setOpen('edit')}>
        {t('Edit')}
      </Button>
      <Button icon={Trash2} onClick={() => setOpen('delete')}>
        {t('Delete')}
      </Button>
      {open === 'edit' && <EditRangeDialog opened={range} latest={range} onClose={close} />}
      {open === 'delete' && <DeleteRangeDialog range={range} onClose={close} />}
    </>
  )
}
