import { formatPhone } from '../format/phone.ts'

/** A telephone number in groups, on one line. */
export function PhoneNumber({ value }: { value: string }) {
  return <span className="phone-number">{formatPhone(value)}</span>
}
