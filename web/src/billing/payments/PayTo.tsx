// What a payer enters in a wallet: the exact amount, the whole address, and a QR code. Visual language §9.
import { useState } from 'react'
import { formatAmountFigure } from '../../format/money.ts'
import { groupByFour } from '../../format/shorten.ts'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { QrCode } from '../../ui/QrCode.tsx'
import { Segmented } from '../../ui/Segmented.tsx'
import { addressCopied } from '../../money/cells.tsx'
import { t } from '../../language/t.ts'

interface PayToProps {
  /** As the server writes it. This text is copied. */
  readonly amount: string
  readonly address: string
  /** The transfer was already made and waits for approval. There is no code to scan, so that nobody pays twice. */
  readonly isSent?: boolean
}

const codes = [
  { value: 'address', label: t('Address') },
  { value: 'uri', label: t('Payment URI') },
] as const

export function PayTo({ amount, address, isSent = false }: PayToProps) {
  const [code, setCode] = useState<'address' | 'uri'>('address')
  // TIP-17. Some wallets cannot read it, and it names no token. So the plain address comes first.
  const uri = `tron:${address}?amount=${amount}`
  return (
    <div className="flex gap-4 rounded-lg border border-line bg-surface-2 p-4 max-sm:flex-col-reverse">
      {!isSent && (
        <div className="flex shrink-0 flex-col items-center gap-2">
          <QrCode
            text={code === 'address' ? address : uri}
            label={
              code === 'address'
                ? t('QR code of the address {address}', { address })
                : t('QR code of {uri}', { uri })
            }
          />
          <Segmented label={t('QR code of')} value={code} onChange={setCode} options={codes} />
        </div>
      )}
      <div className="min-w-0 grow space-y-3">
        <div className="flex items-end justify-between gap-2 border-b border-line pb-3">
          <div>
            <p className="text-ink-3">{isSent ? t('Sent, to be exactly') : t('Send exactly')}</p>
            <p className="text-[1.875rem] leading-9 font-semibold tracking-[-0.03em]">
              {formatAmountFigure(amount)}{' '}
              <span className="text-md font-normal tracking-normal text-ink-3">{t('USDT')}</span>
            </p>
          </div>
          <CopyButton value={amount} what={t('amount')} hasLabel />
        </div>
        <div className="space-y-1.5">
          <div className="flex items-center justify-between gap-2">
            <p className="text-ink-3">{t('to this TRC20 address')}</p>
            <CopyButton value={address} what={t('address')} words={addressCopied} hasLabel />
          </div>
          <p className="font-mono text-[1.0625rem] leading-7 break-words [word-spacing:0.25em]">
            {groupByFour(address)}
          </p>
        </div>
        {code === 'uri' && (
          <div className="flex items-start justify-between gap-2">
            <p className="min-w-0 text-xs text-ink-3">
              <span className="font-mono break-all">{uri}</span>
              <br />
              {t('Choose USDT in the wallet: the URI names no token.')}
            </p>
            <CopyButton value={uri} what={t('payment URI')} />
          </div>
        )}
      </div>
    </div>
  )
}
