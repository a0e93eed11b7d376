import { payableRoutes, type Payable } from '@tollgate/contract/payment-runs/payables.ts'
import { runDebtsMax } from '@tollgate/contract/payment-runs/payment-runs.ts'
import { formatMicro, parseMicro } from '@tollgate/contract/money.ts'
import { payableSteps } from '@tollgate/contract/vocabulary.ts'
import { useCallback, useMemo, useState } from 'react'
import { urlOf } from '../../api/call.ts'
import { useApiPages } from '../../api/use-api.ts'
import { formatCount, formatUsdt } from '../../format/money.ts'
import { MoneyList } from '../../money/MoneyList.tsx'
import { moneyPollMs } from '../../money/queries.ts'
import { Button } from '../../ui/Button.tsx'
import { statusLook } from '../../ui/status.ts'
import { useUrlState } from '../../url-state.ts'
import { DraftRunDialog } from '../DraftRunDialog.tsx'
import { paymentManagementSearch } from '../../billing/search.ts'
import { debtName, payableColumns } from './payable-columns.tsx'
import { PayableStats } from './PayableStats.tsx'
import { PayoutWork } from './PayoutWork.tsx'
import { t } from '../../language/t.ts'

const kinds = [
  { value: 'all', label: t('Bills and payouts') },
  { value: 'bill', label: t('Bills') },
  { value: 'payout', label: t('Payouts') },
]

/** Every bill and payout that is not settled, oldest first: what is next for each, and a payment run of the selected ones. */
export function PayablesTab() {
  const url = useUrlState(paymentManagementSearch)
  const { set } = url
  const { payableText: search, payable, payableKind, payableSort: sort, payableOrder: order } = url.state
  const some = { search, kind: payableKind === 'all' ? undefined : payableKind }
  const filters = { ...some, step: payable === 'all' ? undefined : payable }
  const list = useApiPages(
    payableRoutes.listPayables,
    { query: { ...filters, sort, order } },
    { refetchIntervalMs: moneyPollMs },
  )
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const [isDrafting, setDrafting] = useState(false)
  const [payout, setPayout] = useState<Payable>()
  const onNext = useCallback(
    (debt: Payable) => {
      if (debt.runId !== null) set({ tab: 'runs', run: debt.runId }, true)
      else if (debt.kind === 'payout') setPayout(debt)
      else set({ tab: 'bills', search: debt.userName, status: 'all', open: debt.reference }, true)
    },
    [set, setPayout],
  )
  const columns = useMemo(() => payableColumns(onNext), [onNext])
  const chosen = (list.rows ?? []).filter(({ reference }) => selected.has(reference))
  const ready = chosen.filter(({ step }) => step === 'pay')
  return (
    <div className="space-y-4">
      <PayableStats filter={some} />
      <MoneyList
        url={url}
        names={{ search: 'payableText', status: 'payable', sort: 'payableSort', order: 'payableOrder' }}
        placeholder={t('User, number or reference')}
        statuses={payableSteps}
        statusTitle={t('Next step')}
        statusLabel={(word) => statusLook('payable', word).label}
        also={{ name: 'payableKind', title: t('Kind'), options: kinds }}
        label={t('Payables')}
        storageName="payables"
        columns={columns}
        list={list}
        rowId={({ reference }) => reference}
        rowLabel={(debt) => `${debt.userName}, ${debtName(debt)}`}
        loadingLabel={t('Loading payables...')}
        failure={t('Failed to fetch payables')}
        exportHref={urlOf(payableRoutes.exportPayables, { query: filters })}
        selection={{
          ids: selected,
          onChange: setSelected,
          summary: formatUsdt(formatMicro(sumOf(chosen), 2)),
          actions: (
            <>
              {ready.length < chosen.length && (
                <span className="text-ink-3">
                  {t('{count} of them cannot be paid now', {
                    count: formatCount(chosen.length - ready.length),
                  })}
                </span>
              )}
              {ready.length > runDebtsMax && (
                <span className="text-warn-ink">
                  {t('A run pays at most {runDebtsMax}', { runDebtsMax })}
                </span>
              )}
              <Button
                size="sm"
                isDisabled={ready.length === 0 || ready.length > runDebtsMax}
                onClick={() => setDrafting(true)}
              >
                {t('New payment run ({count})', { count: ready.length })}
              </Button>
            </>
          ),
        }}
        empty={{
          title: t('Nothing is owed'),
          text: t('Every bill and payout is paid. New ones come when the billing cycle ends.'),
          filtered: t('No bill or payout matches'),
        }}
      />
      {isDrafting && (
        <DraftRunDialog
          references={ready.map(({ reference }) => reference)}
          onClose={() => setDrafting(false)}
          onDrafted={(run) => {
            setDrafting(false)
            setSelected(new Set())
            set({ tab: 'runs', run }, true)
          }}
        />
      )}
      {payout && <PayoutWork debt={payout} onClose={() => setPayout(undefined)} />}
    </div>
  )
}

const sumOf = (debts: readonly Payable[]) =>
  debts.reduce((sum, { dueAmount }) => sum + (parseMicro(dueAmount) ?? 0n), 0n)
