import {
  payableRoutes,
  payableViews,
  type PayablesSummary,
  type PayableView,
} from '@tollgate/contract/payment-runs/payables.ts'
import { runDebtsMax } from '@tollgate/contract/payment-runs/payment-runs.ts'
import { formatMicro, parseMicro } from '@tollgate/contract/money.ts'
import { debtKinds, type DebtKind } from '@tollgate/contract/vocabulary.ts'
import { Plus } from 'lucide-react'
import { useMemo, useState, type ComponentProps } from 'react'
import { urlOf } from '../../api/call.ts'
import { useUser } from '../../api/session.tsx'
import { useApiPages } from '../../api/use-api.ts'
import { formatCount, formatUsdt } from '../../format/money.ts'
import { MoneyList } from '../../money/MoneyList.tsx'
import { moneyPollMs } from '../../money/queries.ts'
import { Button } from '../../ui/Button.tsx'
import { Total } from '../../ui/table/DataTable.tsx'
import { useUrlState } from '../../url-state.ts'
import { DraftRunDialog } from '../DraftRunDialog.tsx'
import { paymentManagementSearch } from '../../billing/search.ts'
import { debtName, payableColumns } from './payable-columns.tsx'
import { DebtWork } from './DebtWork.tsx'
import { t } from '../../language/t.ts'

const kindLabels: Readonly<Record<DebtKind, string>> = { bill: t('Bills'), payout: t('Payouts') }

const empty: Readonly<Record<PayableView, { readonly title: string; readonly text: string }>> = {
  pay: {
    title: t('Nothing can be paid now'),
    text: t(
      'New bills and payouts come when the billing cycle ends. What waits for something is in the views beside.',
    ),
  },
  client: {
    title: t('Nothing waits for a client'),
    text: t('A bill or payout waits here while its client has given no address.'),
  },
  us: {
    title: t('Nothing waits for us'),
    text: t('What is withheld, waits for a second person, a decision or its day is here.'),
  },
  run: {
    title: t('Nothing is being paid'),
    text: t('What is in a payment run, or is looked up on chain, is here until it is paid.'),
  },
}

interface PayableListProps {
  readonly view: PayableView
  /** What the filter finds, by next step. */
  readonly summary: PayablesSummary | undefined
}

/** The bills and payouts of one view, oldest first, with what can be done about each, and a payment run of the selected ones. */
export function PayableList({ view, summary }: PayableListProps) {
  const url = useUrlState(paymentManagementSearch)
  const { set } = url
  const { username } = useUser()
  const { payableText: search, payableKind, payableSort: sort, payableOrder: order } = url.state
  const filters = { search, kind: payableKind === 'all' ? undefined : payableKind, view }
  const list = useApiPages(
    payableRoutes.listPayables,
    { query: { ...filters, sort, order } },
    { refetchIntervalMs: moneyPollMs },
  )
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const [draftOf, setDraftOf] = useState<readonly string[] | 'all'>()
  const [work, setWork] = useState<Pick<ComponentProps<typeof DebtWork>, 'action' | 'debt'>>()
  const columns = useMemo(
    () =>
      payableColumns({
        viewer: username,
        onOpen: (debt) => set({ open: debt.reference }, true),
        onAct: (action, debt) =>
          action === 'run' ? set({ tab: 'runs', run: debt.runId ?? '' }, true) : setWork({ action, debt }),
      }),
    [username, set, setWork],
  )
  const ready = (list.rows ?? []).filter(({ reference }) => selected.has(reference))
  return (
    <>
      <MoneyList
        url={url}
        names={{
          search: 'payableText',
          status: 'payableKind',
          sort: 'payableSort',
          order: 'payableOrder',
        }}
        placeholder={t('User, number or reference')}
        statuses={debtKinds}
        statusTitle={t('Kind')}
        statusLabel={(kind) => kindLabels[kind as DebtKind]}
        label={t('Pending Bills')}
        storageName="payables"
        columns={columns}
        list={list}
        rowId={({ reference }) => reference}
        rowLabel={(debt) => `${debt.userName}, ${debtName(debt)}`}
        loadingLabel={t('Loading billing periods...')}
        failure={t('Failed to fetch payables')}
        exportHref={urlOf(payableRoutes.exportPayables, { query: filters })}
        totals={summary && <ViewTotals view={view} summary={summary} />}
        empty={{ ...empty[view], filtered: t('No bill or payout matches') }}
        {...(view === 'pay' && {
          actions: (
            <Button tone="primary" size="sm" icon={Plus} onClick={() => setDraftOf('all')}>
              {t('New payment run')}
            </Button>
          ),
          selection: {
            ids: selected,
            onChange: setSelected,
            summary: formatUsdt(formatMicro(sumOf(ready), 2)),
            actions: (
              <>
                {ready.length > runDebtsMax && (
                  <span className="text-warn-ink">
                    {t('A run pays at most {runDebtsMax}', { runDebtsMax })}
                  </span>
                )}
                <Button
                  size="sm"
                  isDisabled={ready.length === 0 || ready.length > runDebtsMax}
                  onClick={() => setDraftOf(ready.map(({ reference }) => reference))}
                >
                  {t('New payment run ({count})', { count: ready.length })}
                </Button>
              </>
            ),
          },
        })}
      />
      {draftOf !== undefined && (
        <DraftRunDialog
          {...(draftOf !== 'all' && { references: draftOf })}
          onClose={() => setDraftOf(undefined)}
          onDrafted={(run) => {
            setDraftOf(undefined)
            setSelected(new Set())
            set({ tab: 'runs', run }, true)
          }}
        />
      )}
      {work && <DebtWork {...work} onClose={() => setWork(undefined)} />}
    </>
  )
}

function ViewTotals({ view, summary }: PayableListProps & { readonly summary: PayablesSummary }) {
  const { count, due } = sumView(summary, view)
  return (
    <>
      <Total label={t('Bills and payouts')} value={formatCount(count)} />
      <Total label={t('Due')} value={formatUsdt(due)} />
    </>
  )
}

/** How many are in a view, and what is due of them. */
export function sumView(summary: PayablesSummary, view: PayableView) {
  const found = summary.steps.filter(({ step }) => payableViews[view].some((each) => each === step))
  return {
    count: found.reduce((sum, { count }) => sum + count, 0),
    due: formatMicro(sumOf(found), 2),
  }
}

const sumOf = (debts: readonly { readonly dueAmount: string }[]) =>
  debts.reduce((sum, { dueAmount }) => sum + (parseMicro(dueAmount) ?? 0n), 0n)
