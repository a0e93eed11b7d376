import { expect, test } from 'vitest'
import { render, screen } from '@testing-library/react'
import { QrCode } from './QrCode.tsx'

test('a code is square, dark modules on white, and grows with its text', () => {
  const { rerender } = render(<QrCode text="TMPyVucb61WVKFtJD81p4QNZEdE3QioTfA" label="QR code" />)
  const picture = screen.getByRole('img', { name: 'QR code' })
  // 34 bytes at level M: version 3, 29 modules (ISO/IEC 18004 table 7).
  expect(picture.getAttribute('viewBox')).toBe('0 0 29 29')
  // The finder pattern's upper left corner.
  expect(picture.querySelector('path')?.getAttribute('d')).toMatch(/^M0 0h1v1h-1z/)
  rerender(<QrCode text={'x'.repeat(200)} label="QR code" />)
  expect(picture.getAttribute('viewBox')).not.toBe('0 0 29 29')
})
