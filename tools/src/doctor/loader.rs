//! Check of the ICD loader with which programs are linked.

use super::vendors::ProbedDevice;
use super::{Finding, Level, run_probe};
use crate::probe::Loader;

const TOPIC: &str = "loader";

/// Reports the loader, if there is one, and the platforms that it lists.
pub fn examine(devices: &[ProbedDevice], findings: &mut Vec<Finding>) {
    let loader = match run_probe::<Loader>(&["--loader".as_ref()]) {
        Ok(loader) => loader,
        Err(why) if why.starts_with("it ") => {
            let text = format!("the ICD loader cannot be used: {why}");
            let advice = "one of the vendors does that, to every program that uses OpenCL: see below";
            findings.push(Finding::new(TOPIC, Level::Error, text).advice(advice));
            return;
        }
        Err(why) => {
            let text = format!("there is no ICD loader that programs could use: {why}");
            findings.push(Finding::new(TOPIC, Level::Error, text).advice(
                "install ocl-icd-libopencl1 (Debian, Ubuntu), ocl-icd (Fedora, Arch) or ocl-icd from conda-forge",
            ));
            return;
        }
    };
    let name = if loader.description.is_empty() { "an ICD loader" } else { &loader.description };
    let shown = if loader.platforms.is_empty() { "no platform".into() } else { loader.platforms.join(", ") };
    let text = format!("{name}, {}: it shows {shown}", loader.path);
    let listed: Vec<&ProbedDevice> = devices.iter().filter(|device| device.icd.is_some()).collect();
    let grus = listed.iter().find(|device| device.probed.is_grus);
    if grus.is_some_and(|grus| !loader.platforms.contains(&grus.probed.platform)) {
        findings.push(Finding::new(TOPIC, Level::Error, format!("{text}; Grus is not among them")).advice(
            "this loader reads other folders or variables than expected: set OCL_ICD_VENDORS to the folder of the .icd file",
        ));
        return;
    }
    if loader.description.is_empty() && loader.path.to_lowercase().contains("cuda") {
        let advice =
            "it may be a vendor's own library in the place of a loader: install ocl-icd and put it first";
        findings.push(Finding::new(TOPIC, Level::Warning, text).advice(advice));
        return;
    }
    findings.push(match loader.platforms.is_empty() {
        true => Finding::new(TOPIC, Level::Warning, text).advice("it finds no vendor that works: see below"),
        false => Finding::new(TOPIC, Level::Ok, text),
    });
}
