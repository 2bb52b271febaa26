//! Tables of the benchmarks: one row per measurement, one column per device that the loader finds.

use crate::client::{Device, Result};

/// Table that is printed while it is measured.
pub struct Table {
    devices: Vec<Device>,
}

impl Table {
    /// Prints the head, which begins with `corner`. Ends the process if there is no device.
    pub fn begin(program: &str, corner: &str) -> Table {
        let devices = Device::all().unwrap_or_default();
        if devices.is_empty() {
            eprintln!("{program}: no OpenCL device");
            std::process::exit(1);
        }
        print!("{corner}");
        for device in &devices {
            let name: String = device.platform_name().chars().take(20).collect();
            print!("{name:>22}");
        }
        println!();
        Table { devices }
    }

    /// Prints a row that begins with `label`; failures are printed on stderr with `name`.
    pub fn row(&self, name: &str, label: &str, measure: impl Fn(Device) -> Result<String>) {
        print!("{label}");
        for &device in &self.devices {
            print_cell(name, measure(device));
        }
        println!();
    }

    /// Returns the number of columns.
    pub fn len(&self) -> usize {
        self.devices.len()
    }

    /// Returns false, since a table without a device cannot exist.
    pub fn is_empty(&self) -> bool {
        self.devices.is_empty()
    }

    /// Prints a row like [`Table::row`], with devices given by index.
    pub fn numbered(&self, name: &str, label: &str, mut measure: impl FnMut(usize) -> Result<String>) {
        print!("{label}");
        (0..self.devices.len()).for_each(|number| print_cell(name, measure(number)));
        println!();
    }

    /// Prints a row of the highest of some rates. The devices alternate, so that a disturbance of the machine
    /// affects all of them.
    pub fn best(&self, name: &str, label: &str, measure: impl Fn(Device) -> Result<f64>) {
        const ROUNDS: usize = 3;
        let mut rates: Vec<Result<f64>> = self.devices.iter().map(|_| Ok(0.0)).collect();
        for _ in 0..ROUNDS {
            for (&device, best) in self.devices.iter().zip(&mut rates) {
                if let Ok(rate) = best {
                    *best = measure(device).map(|now| now.max(*rate));
                }
            }
        }
        print!("{label}");
        for rate in rates {
            print_cell(name, rate.map(|rate| format!("{rate:.3}")));
        }
        println!();
    }
}

fn print_cell(name: &str, cell: Result<String>) {
    let cell = cell.unwrap_or_else(|message| {
        eprintln!("{name}: {message}");
        "failed".into()
    });
    print!("{cell:>22}");
}
