import type { SentView } from '@tollgate/contract/records.ts'
import { hexOctet } from '../format/hex.ts'
import { Pairs } from '../ui/Card.tsx'

/** What the message's PDU carried beside its text, as it was sent. */
export function SentFields({ sent }: { sent: SentView }) {
  return (
    <section className="space-y-3 border-t border-line pt-3.5">
      <h2 className="text-md">As sent</h2>
      <Pairs
        items={[
          { label: 'Source', value: address(sent.sourceAddress, sent.sourceTon, sent.sourceNpi) },
          { label: 'Destination', value: address(sent.destinationAddress, sent.destTon, sent.destNpi) },
          { label: 'service_type', value: mono(sent.serviceType === '' ? 'none' : sent.serviceType) },
          { label: 'protocol_id', value: mono(hexOctet(sent.protocolId)) },
          { label: 'priority_flag', value: mono(String(sent.priority)) },
          { label: 'data_coding', value: mono(hexOctet(sent.dataCoding)) },
          { label: 'esm_class', value: mono(hexOctet(sent.esmClass)) },
          ...sent.parameters.map(({ tag, name, hex }) => ({
            label: name === '' ? `TLV ${tag}` : name,
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
      <span className="font-mono break-all">{text === '' ? 'none' : text}</span>{' '}
      <span className="text-ink-3">
        TON {ton} · NPI {npi}
      </span>
    </span>
  )
}

function mono(text: string) {
  return <span className="font-mono break-all">{text}</span>
}
