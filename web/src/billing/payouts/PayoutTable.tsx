import { type Payout, payoutRoutes } from '@tollgate/contract/billing/payouts.ts'
import { payoutStatuses } from '@tollgate/contract/vocabulary.ts'
import { useMemo, useState } from 'react'
import { urlOf } from '../../api/call.ts'
import { useUser } from '../../api/session.tsx'
import { useApiPages } from '../../api/use-api.ts'
import { formatCount } from '../../format/money.ts'
import { formatPhone } from '../../format/phone.ts'
import { DecidePaymentDialog } from '../payments/DecidePaymentDialog.tsx'
import { isProcessable } from '../payments/payable.ts'
import { moneyPollMs } from '../../money/queries.ts'
import { Button } from '../../ui/Button.tsx'
import { SelectField } from '../../ui/Field.tsx'
import { EmptyState } from '../../ui/States.tsx'
import { statusLook } from '../../ui/status.ts'
import { DataTable } from '../../ui/table/DataTable.tsx'
import { urlSort, type UrlState } from '../../url-state.ts'
import { payoutColumns, type PayoutAction } from './payout-columns.tsx'
import { ProcessPayoutDialog } from './ProcessPayoutDialog.tsx'
import { ProcessPayoutsDialog } from './ProcessPayoutsDialog.tsx'
import type { PayoutsSearch } from '../search.ts'
import { ExportCsv } from '../../ui/ExportCsv.tsx'
import { failureOf } from '../../api/FetchFailure.tsx'
import { t } from '../../language/t.ts'

// Spec §9: the first 10 rows. 'Show more results' adds the next ones.
const rowsPageSize = 10

const statusOptions = [
  { value: 'all', label: t('All') },
  ...payoutStatuses.map((value) => ({ value, label: statusLook('payout', value).label })),
]

type OpenPayoutDialog =
  | { readonly kind: PayoutAction; readonly payout: Payout }
  | { readonly kind: 'processAll'; readonly payouts: readonly Payout[] }

/** What own-price numbers earned their holders: one payout for each number and cycle. */
export function PayoutTable({ url }: { url: UrlState<PayoutsSearch> }) {
  const { username } = useUser()
  const { payout: status, payoutSort: sort, payoutOrder: order } = url.state
  const filters = { status: status === 'all' ? undefined : status }
  const list = useApiPages(
    payoutRoutes.listPayouts,
    { query: { ...filters, sort, order, limit: rowsPageSize } },
    { refetchIntervalMs: moneyPollMs },
  )
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const [dialog, setDialog] = useState<OpenPayoutDialog>()
  const columns = useMemo(
    () => payoutColumns({ viewer: username, onAction: (kind, payout) => setDialog({ kind, payout }) }),
    [username],
  )
  const chosen = (list.rows ?? []).filter(({ id }) => selected.has(id))
  const ready = chosen.filter((payout) => isProcessable(payout))
  const close = () => setDialog(undefined)
  return (
    <>
      <DataTable
        label={t('Payouts')}
        storageName="payouts"
        title={t('Payouts')}
        actions={
          <SelectField
            label={t('Payout status')}
            isLabelHidden
            value={status}
            options={statusOptions}
            onChange={(event) => url.set({ payout: event.target.value as typeof status })}
          />
        }
        columns={columns}
        rows={list.rows}
        rowId={(payout) => payout.id}
        rowLabel={(payout) => `${payout.userName}, ${formatPhone(payout.number)}`}
        loadingLabel={t('Loading payouts...')}
        {...urlSort(url, { sort: 'payoutSort', order: 'payoutOrder' })}
        more={list}
        selection={{
          ids: selected,
          onChange: setSelected,
          actions: (
            <>
              {ready.length < selected.size && (
                <span className="text-ink-3">
                  {t('{count} of them cannot be processed', {
                    count: formatCount(selected.size - ready.length),
                  })}
                </span>
              )}
              <Button
                size="sm"
                isDisabled={ready.length === 0}
                onClick={() => setDialog({ kind: 'processAll', payouts: ready })}
              >
                {t('Process ({count})', { count: ready.length })}
              </Button>
            </>
          ),
        }}
        {...failureOf(list, t('Failed to fetch payouts'))}
        empty={
          status === 'all' ? (
            <EmptyState title={t('No payouts yet')}>
              {t('A number with a price of its own is paid out when the billing cycle ends.')}
            </EmptyState>
          ) : (
            <EmptyState
              title={t('No payout has this status')}
              action={<Button onClick={() => url.set({ payout: 'all' })}>{t('Show all payouts')}</Button>}
            />
          )
        }
        foot={<ExportCsv href={urlOf(payoutRoutes.exportPayouts, { query: filters })} />}
      />
      {dialog?.kind === 'process' && <ProcessPayoutDialog payout={dialog.payout} onClose={close} />}
      {dialog?.kind === 'decide' && (
        <DecidePaymentDialog subject={{ kind: 'payout', payout: dialog.payout }} onClose={close} />
      )}
      {dialog?.kind === 'processAll' && (
        <ProcessPayoutsDialog
          payouts={dialog.payouts}
          onClose={close}
          onProcessed={(ids) => setSelected(new Set([...selected].filter((id) => !ids.includes(id))))}
        />
      )}
    </>
  )
}
