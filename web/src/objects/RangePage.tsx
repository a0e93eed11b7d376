import { rangesRoutes, type NumberRange } from '@tollgate/contract/ranges.ts'
import { Pencil } from 'lucide-react'
import { useState } from 'react'
import { useSession } from '../api/session.tsx'
import { useApiQuery } from '../api/use-api.ts'
import { formatDateTime } from '../format/dates.ts'
import { formatShekels } from '../format/money.ts'
import { formatPhone } from '../format/phone.ts'
import { DeleteRangeDialog, EditRangeDialog } from '../numbers/ranges/RangeDialogs.tsx'
import { paths } from '../paths.ts'
import { StatusBadge } from '../ui/Badge.tsx'
import { Button } from '../ui/Button.tsx'
import { PhoneNumber } from '../ui/PhoneNumber.tsx'
import { NumbersOf } from './NumbersOf.tsx'
import { ObjectPage, ObjectState, isGone, useObjectId } from './ObjectPage.tsx'
import { trafficTab, useStaffTabs } from './shared-tabs.tsx'

const home = { label: 'Number Ranges', path: paths.ranges }

/** One range: its tariff, its numbers and their traffic. A client sees its own numbers in it. */
export function RangePage() {
  const id = useObjectId()
  const range = useApiQuery(rangesRoutes.getRange, { params: { id } })
  if (!range.data || isGone(range)) return <ObjectState of={range} what="range" home={home} />
  return <RangeView key={id} range={range.data} />
}

function RangeView({ range }: { range: NumberRange }) {
  const isStaff = useSession().may('numbersManagement')
  const staffTabs = useStaffTabs('range', range.id)
  return (
    <ObjectPage
      name={range.rangeNumber}
      what={range.description === '' ? 'a range of numbers' : range.description}
      home={home}
      badge={<StatusBadge kind="account" status={range.status} />}
      actions={isStaff ? <RangeActions range={range} /> : undefined}
      facts={[
        { label: 'Start Number', value: <PhoneNumber value={range.startNumber} /> },
        { label: 'End Number', value: <PhoneNumber value={range.endNumber} /> },
        { label: 'Rate', value: `${formatShekels(range.rate)} for each SMS` },
        { label: 'Added', value: formatDateTime(range.createdAt) },
      ]}
      tabs={[
        {
          value: 'overview',
          label: 'Numbers',
          content: (
            <NumbersOf
              query={{ rangeId: range.id }}
              empty={
                isStaff
                  ? `No number from ${formatPhone(range.startNumber)} to ${formatPhone(range.endNumber)} yet`
                  : 'You hold no number of this range'
              }
            />
          ),
        },
        trafficTab({ range: range.rangeNumber }, 'range'),
        ...staffTabs,
      ]}
    />
  )
}

function RangeActions({ range }: { range: NumberRange }) {
  const [open, setOpen] = useState<'edit' | 'delete'>()
  const close = () => setOpen(undefined)
  return (
    <>
      <Button icon={Pencil} onClick={() => setOpen('edit')}>
        Edit
      </Button>
      <Button tone="danger" onClick={() => setOpen('delete')}>
        Delete
      </Button>
      {open === 'edit' && <EditRangeDialog opened={range} latest={range} onClose={close} />}
      {open === 'delete' && <DeleteRangeDialog range={range} onClose={close} />}
    </>
  )
}
