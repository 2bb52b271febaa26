//! Tables of the benchmarks: a row for each measurement, a column for each device that the loader finds.

use crate::client::{Device, Result};

/// A table that is printed as it is measured.
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

    /// Prints a row that begins with `label`; what fails is said on stderr under its name.
    pub fn row(&self, name: &str, label: &str, measure: impl Fn(Device) -> Result<String>) {
        print!("{label}");
        for &device in &self.devices {
            print_cell(name, measure(device));
        }
        println!();
    }

    /// Number of columns.
    pub fn len(&self) -> usize {
        self.devices.len()
    }

    /// Never: there would be no table.
    pub fn is_empty(&self) -> bool {
        self.devices.is_empty()
    }

    /// A row like [`Table::row`], of devices by their numbers.
    pub fn numbered(&self, name: &str, label: &str, mut measure: impl FnMut(usize) -> Result<String>) {
        print!("{label}");
        (0..self.devices.len()).for_each(|number| print_cell(name, measure(number)));
        println!();
    }

    /// A row of the highest of some rates. The devices take turns: what disturbs the machine for a while meets them all.
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
