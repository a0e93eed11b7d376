import { treasuryTransferRoutes, type TreasuryTransfer } from '@tollgate/contract/treasury/transfers.ts'
import { transferStates } from '@tollgate/contract/vocabulary.ts'
import { useMemo, useState } from 'react'
import { urlOf } from '../api/call.ts'
import { QueueFailure } from '../api/QueueFailure.tsx'
import { RefreshNote } from '../api/RefreshNote.tsx'
import { useUser } from '../api/session.tsx'
import { useApiPages } from '../api/use-api.ts'
import { MoneyList } from '../money/MoneyList.tsx'
import { moneyPollMs } from '../money/queries.ts'
import { Card } from '../ui/Card.tsx'
import { EmptyState } from '../ui/States.tsx'
import { statusLook } from '../ui/status.ts'
import { useUrlState } from '../url-state.ts'
import { ReasonDialog } from '../billing/payments/ReasonDialog.tsx'
import { paymentManagementSearch } from '../billing/search.ts'
import { DecideTransferDialog } from './DecideTransferDialog.tsx'
import { MatchTransferDialog } from './MatchTransferDialog.tsx'
import { ReaderCard } from './ReaderCard.tsx'
import type { useTreasuryReader } from './queries.ts'
import { transferColumns, type TransferAction } from './transfer-columns.tsx'
import { t } from '../language/t.ts'

interface WalletCheckProps {
  readonly reader: ReturnType<typeof useTreasuryReader>
}

/** Whether wallet and ledger agree, and how far the wallets are read. */
export function WalletCheck({ reader }: WalletCheckProps) {
  if (reader.data?.isConfigured === false)
    return (
      <Card>
        <EmptyState title={t('No TRON node is set')}>
          {t(
            'With TRON_API_URL the gateway reads what leaves the treasury, and compares it with the ledger.',
          )}
        </EmptyState>
      </Card>
    )
  return reader.data ? (
    <div data-stale={reader.isError || undefined}>
      <ReaderCard reader={reader.data} />
      <RefreshNote of={[reader]} />
    </div>
  ) : (
    reader.error && <QueueFailure of={reader} title={t('Failed to fetch how far the wallets are read')} />
  )
}

/** What left our wallets on chain, and what it was for; or only what nobody knows a debt for. */
export function TransferList({ isUnmatched }: { readonly isUnmatched: boolean }) {
  const url = useUrlState(paymentManagementSearch)
  const { username } = useUser()
  const { transferText: search, transfer, transferSort: sort, transferOrder: order } = url.state
  const state = isUnmatched ? ('open' as const) : transfer
  const filters = { search, state: state === 'all' ? undefined : state }
  const list = useApiPages(
    treasuryTransferRoutes.listTreasuryTransfers,
    { query: { ...filters, sort, order } },
    { refetchIntervalMs: moneyPollMs },
  )
  const [dialog, setDialog] = useState<{
    readonly kind: TransferAction
    readonly transfer: TreasuryTransfer
  }>()
  const columns = useMemo(
    () => transferColumns((kind, transfer) => setDialog({ kind, transfer })),
    [setDialog],
  )
  const close = () => setDialog(undefined)
  return (
    <>
      <MoneyList
        url={url}
        names={{
          search: 'transferText',
          ...(!isUnmatched && { status: 'transfer' }),
          sort: 'transferSort',
          order: 'transferOrder',
        }}
        placeholder={t('Transaction hash or receiver')}
        statuses={transferStates}
        statusLabel={(word) => statusLook('transfer', word).label}
        label={t('Transfers')}
        storageName="transfers"
        columns={columns}
        list={list}
        rowId={({ id }) => id}
        rowLabel={({ amount, toAddress }) => t('{amount} USDT to {address}', { amount, address: toAddress })}
        loadingLabel={t('Loading transfers...')}
        failure={t('Failed to fetch transfers')}
        exportHref={urlOf(treasuryTransferRoutes.exportTreasuryTransfers, { query: filters })}
        empty={{
          title: isUnmatched ? t('Every transfer is matched') : t('No transfers yet'),
          text: t('What leaves a treasury address shows here about a minute later.'),
          filtered: t('No transfer matches'),
        }}
      />
      {dialog?.kind === 'match' && <MatchTransferDialog transfer={dialog.transfer} onClose={close} />}
      {dialog?.kind === 'explain' && (
        <ReasonDialog
          title={t('Explain transfer')}
          description={t(
            '{amount} USDT pay no bill and no payout. Say what they were for; above the limit a second person agrees.',
            { amount: dialog.transfer.amount },
          )}
          actLabel={t('Explain')}
          route={treasuryTransferRoutes.explainTransfer}
          id={dialog.transfer.id}
          success={t('The reason is saved')}
          failure={t('Not explained')}
          onClose={close}
        />
      )}
      {dialog?.kind === 'decide' && (
        <DecideTransferDialog
          transfer={dialog.transfer}
          isOwn={dialog.transfer.decision?.requestedBy === username}
          onClose={close}
        />
      )}
    </>
  )
}
