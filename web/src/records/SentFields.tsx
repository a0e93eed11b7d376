import type { SentView } from '@tollgate/contract/records/records.ts'
import { hexOctet } from '../format/hex.ts'
import { Pairs } from '../ui/Card.tsx'
import { t } from '../language/t.ts'

/** What the message's PDU carried beside its text, as it was sent. */
export function SentFields({ sent }: { sent: SentView }) {
  return (
    <section className="space-y-3 border-t border-line pt-3.5">
      <h2 className="text-md">{t('As sent')}</h2>
      <Pairs
        items={[
          { label: t('Source'), value: address(sent.sourceAddress, sent.sourceTon, sent.sourceNpi) },
          { label: t('Destination'), value: address(sent.destinationAddress, sent.destTon, sent.destNpi) },
          { label: t('service_type'), value: mono(sent.serviceType === '' ? 'none' : sent.serviceType) },
          { label: t('protocol_id'), value: mono(hexOctet(sent.protocolId)) },
          { label: t('priority_flag'), value: mono(String(sent.priority)) },
          { label: t('data_coding'), value: mono(hexOctet(sent.dataCoding)) },
          { label: t('esm_class'), value: mono(hexOctet(sent.esmClass)) },
          ...sent.parameters.map(({ tag, name, hex }) => ({
            label: name === '' ? t('TLV {tag}', { tag }) : name,
            value: mono(hex === '' ? 'empty' : hex),
          })),
        ]}
      />
    </section>
  )
}

function address(text: string, ton: number, npi: number) {
  return (
    <span>
      <span className="font-mono break-all">{text === '' ? t('none') : text}</span>{' '}
      <span className="text-ink-3">{t('TON {ton} · NPI {npi}', { ton, npi })}</span>
    </span>
  )
}

function mono(text: string) {
  return <span className="font-mono break-all">{text}</span>
}
