import { inventoryRoutes } from '@tollgate/contract/numbers/inventory.ts'
import { numbersRoutes, type NumberDetail } from '@tollgate/contract/numbers/numbers.ts'
import { MessageSquare, RotateCw } from 'lucide-react'
import { useState } from 'react'
import { messageOf } from '../api/api-error.ts'
import { ObjectLink } from '../api/ObjectLink.tsx'
import { useSession } from '../api/session.tsx'
import { useApiQuery } from '../api/use-api.ts'
import { formatDateTime } from '../format/dates.ts'
import { formatRate, formatTariff, formatUsdt } from '../format/money.ts'
import { formatPhone } from '../format/phone.ts'
import { NextRate } from '../money/NextRate.tsx'
import { NumberPrices } from '../numbers/accounts/NumberPricesDialog.tsx'
import { CountryCell } from '../numbers/cells.tsx'
import { InventoryRowActions } from '../numbers/inventory/columns.tsx'
import { InventoryDialog, type InventoryAction } from '../numbers/inventory/InventoryTable.tsx'
import { useSuspend } from '../numbers/inventory/use-suspend.ts'
import { numberTypeLabels } from '../numbers/type-labels.ts'
import { paths } from '../paths.ts'
import { StatusBadge } from '../ui/Badge.tsx'
import { Button } from '../ui/Button.tsx'
import { Card, type Pair } from '../ui/Card.tsx'
import { CopyButton } from '../ui/CopyButton.tsx'
import { lazyComponent } from '../ui/lazy-component.ts'
import { ObjectPage, ObjectState, isGone, useObjectId } from './ObjectPage.tsx'
import { HoldsOf, trafficTab, useStaffTabs } from './shared-tabs.tsx'
import { t } from '../language/t.ts'

const SimulatorDialog = lazyComponent(() => import('../gateway/SimulatorDialog.tsx'), 'SimulatorDialog')

const home = { label: t('Premium Numbers'), path: paths.numbers }

/** One number: who holds it, what it earns and what came to it. A client sees its own numbers. */
export function NumberPage() {
  const id = useObjectId()
  const number = useApiQuery(numbersRoutes.getAccountNumber, { params: { id } })
  if (!number.data || isGone(number)) return <ObjectState of={number} kind="number" home={home} />
  return <NumberView key={id} number={number.data} />
}

function NumberView({ number }: { number: NumberDetail }) {
  const { may, user } = useSession()
  const isStaff = may('numbersManagement')
  const staffTabs = useStaffTabs('number', number.id)
  return (
    <ObjectPage
      name={formatPhone(number.phoneNumber)}
      what={
        [number.accountNumber, number.description].filter((part) => part !== '').join(' · ') || t('a number')
      }
      home={home}
      badge={<StatusBadge kind="account" status={number.status} />}
      actions={
        <>
          {may('numberRequests') && number.status === 'active' && <SendTest to={number.phoneNumber} />}
          {isStaff && <NumberActions id={number.id} digits={number.phoneNumber} />}
        </>
      }
      facts={numberFacts(number, user?.role === 'test', isStaff)}
      tabs={[
        {
          value: 'overview',
          label: t('Overview'),
          content: (
            <div className="grid items-start gap-4 lg:grid-cols-2">
              {may('numberRequests') && (
                <Card title={t('USD per SMS')} aside={t('Now, before, and what comes next')}>
                  <NumberPrices id={number.id} />
                </Card>
              )}
              <Card title={isStaff ? t('Holders') : t('Held')}>
                <Holdings holdings={number.holdings} isStaff={isStaff} />
              </Card>
            </div>
          ),
        },
        // A masked number finds nothing.
        user?.role !== 'test' && trafficTab({ number: number.phoneNumber }, 'phoneNumber'),
        may('holdReview') && { value: 'holds', label: t('Holds'), content: <HoldsOf numberId={number.id} /> },
        ...staffTabs,
      ]}
    />
  )
}

function numberFacts(number: NumberDetail, isMasked: boolean, isStaff: boolean): Pair[] {
  const { range, holder } = number
  return [
    {
      label: t('Number'),
      value: isMasked ? (
        number.phoneNumber
      ) : (
        <span className="inline-flex items-center gap-1 font-mono">
          +{number.phoneNumber}
          <CopyButton value={`+${number.phoneNumber}`} what={t('number')} />
        </span>
      ),
    },
    ...(isStaff
      ? [
          {
            label: t('Holder'),
            value: holder ? (
              <ObjectLink kind="person" id={holder.id}>
                {holder.username}
              </ObjectLink>
            ) : (
              t('Nobody')
            ),
          },
        ]
      : []),
    { label: t('Held since'), value: holder ? formatDateTime(holder.since) : '–' },
    { label: t('Type'), value: numberTypeLabels[number.type] },
    { label: t('Country'), value: <CountryCell country={number.country} code={number.countryCode} /> },
    ...(number.operator === '' ? [] : [{ label: t('Operator'), value: number.operator }]),
    {
      label: t('Range'),
      value:
        range === null ? (
          '–'
        ) : isMasked ? (
          range.rangeNumber
        ) : (
          <ObjectLink kind="range" id={range.id}>
            {range.rangeNumber}
          </ObjectLink>
        ),
    },
    { label: t('Rate'), value: t('{amount} for each SMS', { amount: formatTariff(number.rate) }) },
    ...(number.usdPerSms === ''
      ? []
      : [
          {
            label: t('USD per SMS'),
            value: (
              <>
                {formatRate(number.usdPerSms)}
                <NextRate next={number.scheduled} ended={t('Weekly bill')} />
              </>
            ),
          },
        ]),
    ...(number.earned === '' ? [] : [{ label: t('Earned this cycle'), value: formatUsdt(number.earned) }]),
    ...(isMasked
      ? []
      : [
          {
            label: t('Settles in'),
            value: number.pricePerSms === '' ? t('the weekly bill') : t('payouts of its own'),
          },
        ]),
  ]
}

function Holdings({ holdings, isStaff }: { holdings: NumberDetail['holdings']; isStaff: boolean }) {
  if (holdings.length === 0) return <p className="text-ink-3">{t('Nobody has held it yet.')}</p>
  return (
    <ol className="divide-y divide-line">
      {holdings.map(({ userId, username, from, to }) => (
        <li key={from} className="flex flex-wrap justify-between gap-x-4 py-2">
          {isStaff ? (
            <ObjectLink kind="person" id={userId}>
              {username}
            </ObjectLink>
          ) : (
            username
          )}
          <span className="text-ink-2">
            {formatDateTime(from)} – {to === null ? t('now') : formatDateTime(to)}
          </span>
        </li>
      ))}
    </ol>
  )
}

/** Assign, price, suspend and the rest, as in Number Inventory. */
function SendTest({ to }: { readonly to: string }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button icon={MessageSquare} onClick={() => setOpen(true)}>
        {t('Send a test message')}
      </Button>
      {isOpen && <SimulatorDialog to={to} onClose={() => setOpen(false)} />}
    </>
  )
}

function NumberActions({ id, digits }: { id: string; digits: string }) {
  const { user } = useSession()
  const list = useApiQuery(inventoryRoutes.listInventory, { query: { search: digits, limit: 20 } })
  const [dialog, setDialog] = useState<InventoryAction>()
  const suspend = useSuspend()
  const item = list.data?.find((row) => row.id === id)
  if (list.error && list.data === undefined)
    return (
      <Button icon={RotateCw} title={messageOf(list.error)} onClick={() => void list.refetch()}>
        {t('Fetch the actions again')}
      </Button>
    )
  if (!item) return null
  const close = () => setDialog(undefined)
  return (
    <>
      <InventoryRowActions
        item={item}
        actions={{
          onAssign: () => setDialog({ kind: 'assign', items: [item] }),
          onEdit: () => setDialog({ kind: 'edit', item }),
          onUnassign: () => setDialog({ kind: 'unassign', item }),
          ...(user?.role === 'admin' && { onBackdate: () => setDialog({ kind: 'backdate', item }) }),
          onSuspend: suspend,
        }}
      />
      <InventoryDialog dialog={dialog} rows={list.data ?? []} onClose={close} onAssigned={close} />
    </>
  )
}
