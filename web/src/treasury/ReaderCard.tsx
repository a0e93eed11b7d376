import type { TreasuryReader, WalletProof } from '@tollgate/contract/treasury/transfers.ts'
import { formatAge, formatDateTime, formatDay, formatDuration } from '../format/dates.ts'
import { formatUsdt } from '../format/money.ts'
import { AddressCell } from '../money/cells.tsx'
import { Badge } from '../ui/Badge.tsx'
import { Card, Pairs } from '../ui/Card.tsx'
import { Notice } from '../ui/Notice.tsx'
import { useNow } from '../ui/use-now.ts'
import { formatWords } from '../format/sentences.ts'
import { t, joined } from '../language/t.ts'
import { counted } from '../format/counted.ts'

/** Whether wallet and ledger agree, and how far each wallet is read. */
export function ReaderCard({ reader }: { reader: TreasuryReader }) {
  const now = useNow(10_000)
  const { wallets, proof, waitingCount } = reader
  return (
    <div className="grid gap-4 lg:grid-cols-2">
      <Card
        title={t('Wallet = ledger')}
        aside={
          proof && (
            <Badge tone={proof.isEqual ? 'ok' : 'bad'} icon={proof.isEqual ? 'check' : 'x'}>
              {proof.isEqual ? t('Equal') : t('Not equal')}
            </Badge>
          )
        }
      >
        {proof === null ? (
          <p className="text-ink-3">
            {wallets.length === 0
              ? t('No treasury address is set.')
              : t('Not compared yet. It happens once a day, when every wallet was read to its end.')}
          </p>
        ) : (
          <Proof proof={proof} />
        )}
      </Card>
      <Card title={t('Read on chain')}>
        {wallets.length === 0 ? (
          <Notice tone="warn" title={t('No treasury address is set')}>
            {t(
              'Enter the wallets that payments are made from in Admin Settings: without them nothing is read, and no payment counts as verified.',
            )}
          </Notice>
        ) : (
          <ul className="space-y-2">
            {wallets.map((wallet) => (
              <li key={wallet.address} className="flex flex-wrap items-center justify-between gap-x-4">
                <AddressCell address={wallet.address} />
                {wallet.fault === '' ? (
                  <span className="text-ink-3">
                    {wallet.readAt === null
                      ? t('not read yet; it begins with {day}', { day: formatDay(wallet.readFrom) })
                      : t('last read {age}; complete since {day}', {
                          age: formatAge(wallet.readAt, now),
                          day: formatDay(wallet.readFrom),
                        })}
                  </span>
                ) : (
                  <span className="text-bad-ink">
                    {joined(
                      formatWords(wallet.fault),
                      wallet.failingSince !== null &&
                        t('It has been failing for {duration}.', {
                          duration: formatDuration(now - Date.parse(wallet.failingSince)),
                        }),
                    )}
                  </span>
                )}
              </li>
            ))}
          </ul>
        )}
        {waitingCount > 0 && (
          <p className="pt-2 text-ink-3">
            {counted(
              waitingCount,
              '1 transaction is waiting for an irreversible block.',
              '{count} transactions are waiting for an irreversible block.',
            )}
          </p>
        )}
      </Card>
    </div>
  )
}

function Proof({ proof }: { proof: WalletProof }) {
  const { sent, explained, ledgerPaid, unbooked, unseen, unread, balance, provedAt, provedFrom } = proof
  return (
    <div className="space-y-3">
      <Pairs
        items={[
          {
            label: t('Sent since {provedFrom}', { provedFrom: formatDay(provedFrom) }),
            value: formatUsdt(sent),
          },
          { label: t('Explained'), value: formatUsdt(explained) },
          { label: t('Paid by the ledger'), value: formatUsdt(ledgerPaid) },
          { label: t('Difference'), value: <b>{formatUsdt(proof.difference)}</b> },
          { label: t('In the wallets'), value: formatUsdt(balance) },
        ]}
      />
      {!proof.isEqual && (
        <Notice tone="bad" title={t('Wallet and ledger differ')}>
          <ul className="space-y-1">
            {unbooked !== '0.00' && (
              <li>
                {t('{unbooked} left the wallets and are booked on nothing.', {
                  unbooked: formatUsdt(unbooked),
                })}
              </li>
            )}
            {unseen !== '0.00' && (
              <li>
                {t('{unseen} are paid in the ledger without a transfer.', { unseen: formatUsdt(unseen) })}
              </li>
            )}
            {unread !== '0.00' && (
              <li>
                {t('{unread} are missing from the wallets beyond what the node lists.', {
                  unread: formatUsdt(unread),
                })}
              </li>
            )}
          </ul>
        </Notice>
      )}
      <p className="text-xs text-ink-3">
        {t('Compared {provedAt}; once a day', { provedAt: formatDateTime(provedAt) })}
      </p>
    </div>
  )
}
